// Graphs: connected components by union and find with path halving and union by size.
// Tarjan 1975. Two pointer chases for each edge that change what they walk over, then a conditional join; how far they go
// is known only on the way.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

#define MAX 400

static uint16_t parent[MAX], size[MAX];

static uint16_t find(uint16_t v)
{
    while (parent[v] != v) {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    return v;
}

// Returns the number of components; `label` gets the representative of each node.
LOOM_ACCEL int components(const uint16_t (*edges)[2], int count, int nodes, uint16_t *label)
{
    int left = nodes;
    for (int v = 0; v < nodes; v++) {
        LOOM_INDEPENDENT;
        parent[v] = (uint16_t)v;
        size[v] = 1;
    }
    for (int e = 0; e < count; e++) {
        uint16_t a = find(edges[e][0]), b = find(edges[e][1]);
        if (a == b)
            continue;
        if (size[a] < size[b]) {
            uint16_t t = a;
            a = b;
            b = t;
        }
        parent[b] = a;
        size[a] = (uint16_t)(size[a] + size[b]);
        left--;
    }
    for (int v = 0; v < nodes; v++)
        label[v] = find((uint16_t)v);
    return left;
}

int main(void)
{
    static uint16_t edges[MAX][2], label[MAX], colour[MAX];
    static const int sizes[][2] = {{MAX, MAX}, {0, 0}, {1, 0}, {1, 1}, {MAX, 200}, {40, 400}};
    uint32_t state = 61;
    int bad = 0, calls = 0, found = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int nodes = sizes[calls][0], count = sizes[calls][1];
        for (int e = 0; e < count; e++)
            for (int k = 0; k < 2; k++) {
                state = state * 1664525u + 1013904223u;
                edges[e][k] = (uint16_t)((state >> 16) % (uint32_t)nodes);
            }
        const int left = components((const uint16_t(*)[2])edges, count, nodes, label);
        // Colours flow along edges, the smaller one wins.
        for (int v = 0; v < nodes; v++)
            colour[v] = (uint16_t)v;
        for (int changed = 1; changed;) {
            changed = 0;
            for (int e = 0; e < count; e++) {
                uint16_t *a = &colour[edges[e][0]], *b = &colour[edges[e][1]];
                changed |= *a != *b;
                *a = *b = *a < *b ? *a : *b;
            }
        }
        int colours = 0;
        for (int v = 0; v < nodes; v++) {
            colours += colour[v] == v;
            for (int w = 0; w < v; w++)
                bad += (label[v] == label[w]) != (colour[v] == colour[w]);
            bad += label[v] >= nodes || colour[label[v]] != colour[v];
        }
        bad += left != colours;
        found += left;
    }
    printf("components: %d graphs, %d components, %d wrong\n", calls, found, bad);
    return bad != 0;
}
