// Graphs: shortest paths by Dijkstra's algorithm with a scan for the nearest node, dense matrix of weights.
// Dijkstra 1959. A minimum and its place are found by a loop whose result addresses the next one; infinite weights must
// not overflow, and the outer loop breaks when nothing can be reached any more.
#include "loom.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define MAX 64
#define NONE UINT32_MAX

LOOM_ACCEL void dijkstra(const uint32_t (*weight)[MAX], int n, int source, uint32_t *distance, int *parent)
{
    bool done[MAX] = {false};
    for (int v = 0; v < n; v++) {
        distance[v] = NONE;
        parent[v] = -1;
    }
    distance[source] = 0;
    for (int round = 0; round < n; round++) {
        int near = -1;
        uint32_t least = NONE;
        for (int v = 0; v < n; v++) {
            if (!done[v] && distance[v] < least) {
                least = distance[v];
                near = v;
            }
        }
        if (near < 0)
            break;
        done[near] = true;
        for (int v = 0; v < n; v++) {
            if (done[v] || weight[near][v] == NONE)
                continue;
            if (least + weight[near][v] < distance[v]) {
                distance[v] = least + weight[near][v];
                parent[v] = near;
            }
        }
    }
}

int main(void)
{
    static uint32_t weight[MAX][MAX], want[MAX], distance[MAX];
    static int parent[MAX];
    static const int sizes[] = {MAX, 1, 2, 30, MAX};
    uint32_t state = 54;
    int bad = 0, calls = 0, far = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int n = sizes[calls], source = n - 1;
        for (int u = 0; u < n; u++)
            for (int v = 0; v < n; v++) {
                state = state * 1664525u + 1013904223u;
                weight[u][v] = state >> 28 < (calls == 4 ? 1 : 3) ? state >> 12 & 0xffff : NONE;
            }
        dijkstra((const uint32_t(*)[MAX])weight, n, source, distance, parent);
        // Bellman and Ford: relax all edges until nothing changes.
        for (int v = 0; v < n; v++)
            want[v] = v == source ? 0 : NONE;
        for (int changed = 1; changed;) {
            changed = 0;
            for (int u = 0; u < n; u++)
                for (int v = 0; v < n; v++)
                    if (want[u] != NONE && weight[u][v] != NONE && want[u] + weight[u][v] < want[v]) {
                        want[v] = want[u] + weight[u][v];
                        changed = 1;
                    }
        }
        for (int v = 0; v < n; v++) {
            const int p = parent[v];
            bad += distance[v] != want[v];
            bad += (p < 0) != (v == source || want[v] == NONE);
            bad += p >= 0 && distance[p] + weight[p][v] != distance[v];
            far += want[v] == NONE;
        }
    }
    printf("dijkstra: %d graphs, %d nodes out of reach, %d wrong\n", calls, far, bad);
    return bad != 0;
}
