// Graphs: breadth-first search from one node, distances in steps, graph in compressed rows.
// Moore 1959; Graph500. A queue that is read and written in the same loop, rows of any length, and an indirect access that
// decides whether there is anything to write.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

#define NODES 240
#define EDGES 1500

// Returns the number of nodes reached.
LOOM_ACCEL int32_t bfs(const int32_t *restrict start, const int32_t *restrict target, int32_t nodes, int32_t source,
                       int32_t *restrict distance, int32_t *restrict queue)
{
    int32_t head = 0, tail = 0;
    for (int32_t v = 0; v < nodes; v++)
        distance[v] = -1;
    if (source < 0 || source >= nodes)
        return 0;
    distance[source] = 0;
    queue[tail++] = source;
    while (head < tail) {
        const int32_t v = queue[head++];
        const int32_t next = distance[v] + 1;
        for (int32_t e = start[v]; e < start[v + 1]; e++) {
            LOOM_TRIP(0, 12);
            const int32_t w = target[e];
            if (distance[w] < 0) {
                distance[w] = next;
                queue[tail++] = w;
            }
        }
    }
    return tail;
}

int main(void)
{
    static int32_t start[NODES + 1], target[EDGES], distance[NODES], queue[NODES];
    static const int32_t sizes[] = {NODES, 1, NODES, 60, 0};
    uint32_t state = 43;
    int bad = 0, calls = 0, reached = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int32_t n = sizes[calls], source = n / 2;
        int32_t edges = 0;
        // Mostly short edges, so that distances get long; sometimes a row is empty.
        for (int32_t v = 0; v < n; v++) {
            start[v] = edges;
            state = state * 1664525u + 1013904223u;
            const int32_t degree = calls == 2 ? 5 : (int32_t)(state >> 30);
            for (int32_t k = 0; k < degree && edges < EDGES; k++) {
                state = state * 1664525u + 1013904223u;
                target[edges++] = (int32_t)((uint32_t)(v + n) + (state >> 28) - 7u) % n;
            }
        }
        start[n] = edges;
        const int32_t count = bfs(start, target, n, source, distance, queue);
        // Distances are right when no edge could shorten one and each but the first has an edge that explains it.
        int32_t finite = 0;
        for (int32_t v = 0; v < n; v++) {
            int explained = v == source && distance[v] == 0;
            for (int32_t u = 0; u < n; u++)
                for (int32_t e = start[u]; e < start[u + 1]; e++) {
                    if (target[e] != v || distance[u] < 0)
                        continue;
                    bad += distance[v] < 0 || distance[v] > distance[u] + 1;
                    explained |= distance[v] == distance[u] + 1;
                }
            bad += distance[v] >= 0 && !explained;
            finite += distance[v] >= 0;
        }
        bad += count != finite;
        reached += finite;
    }
    printf("bfs: %d graphs, %d nodes reached, %d wrong\n", calls, reached, bad);
    return bad != 0 || reached < NODES;
}
