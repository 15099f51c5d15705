// Graphs: shortest paths with negative weights over a list of edges, and whether there is a negative cycle.
// Bellman 1958, Ford 1956. Edges are structures of three fields; both ends are indirect, the write too, and rounds stop
// early when one changes nothing.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

struct edge {
    uint16_t from, to;
    int32_t weight;
};

#define FAR INT64_MAX

// Returns the rounds that changed something, or -1 for a negative cycle.
LOOM_ACCEL int bellman_ford(const struct edge *edges, int count, int nodes, int64_t *distance)
{
    int round = 0, changed;
    do {
        changed = 0;
        for (int i = 0; i < count; i++) {
            const struct edge e = edges[i];
            if (distance[e.from] == FAR)
                continue;
            const int64_t through = distance[e.from] + e.weight;
            if (through < distance[e.to]) {
                distance[e.to] = through;
                changed = 1;
            }
        }
        if (changed && ++round == nodes)
            return -1;
    } while (changed);
    return round;
}

#define NODES 80
#define EDGES 400

int main(void)
{
    static struct edge edges[EDGES];
    static int64_t distance[NODES], height[NODES];
    uint32_t state = 12;
    int bad = 0, calls = 0, rounds = 0;
    for (; calls < 5; calls++) {
        const int nodes = calls == 1 ? 1 : NODES, count = calls == 1 ? 0 : calls == 2 ? 60 : EDGES;
        // Weights that are a potential difference and something positive: negative ones, but no negative cycle.
        for (int v = 0; v < NODES; v++) {
            state = state * 69069u + 7u;
            height[v] = (int64_t)(state >> 12) * (v == 0 ? 0 : 1);
            distance[v] = v == 0 ? 0 : FAR;
        }
        for (int i = 0; i < count; i++) {
            state = state * 69069u + 7u;
            const uint16_t from = (uint16_t)((state >> 10) % NODES);
            state = state * 69069u + 7u;
            const uint16_t to = (uint16_t)((state >> 10) % NODES);
            state = state * 69069u + 7u;
            edges[i] = (struct edge){from, to, (int32_t)(height[to] - height[from] + (int64_t)(state >> 20))};
        }
        if (calls == 4) {
            // Two edges that together go down.
            edges[0] = (struct edge){0, 1, -5};
            edges[1] = (struct edge){1, 0, 4};
            bad += bellman_ford(edges, count, nodes, distance) != -1;
            continue;
        }
        const int r = bellman_ford(edges, count, nodes, distance);
        rounds += r;
        bad += r < 0 || r >= nodes;
        // No edge shortens anything any more, and every finite distance has a chain of tight edges back to node 0.
        static uint8_t tight[NODES];
        for (int v = 0; v < NODES; v++)
            tight[v] = v == 0;
        for (int step = 0; step < NODES; step++)
            for (int i = 0; i < count; i++)
                if (tight[edges[i].from] && distance[edges[i].from] + edges[i].weight == distance[edges[i].to])
                    tight[edges[i].to] = 1;
        for (int i = 0; i < count; i++)
            bad += distance[edges[i].from] != FAR &&
                   distance[edges[i].from] + edges[i].weight < distance[edges[i].to];
        for (int v = 0; v < NODES; v++)
            bad += tight[v] != (distance[v] != FAR);
        bad += distance[0] != 0;
    }
    printf("bellman_ford: %d graphs, %d rounds, %d wrong\n", calls, rounds, bad);
    return bad != 0 || rounds < 5;
}
