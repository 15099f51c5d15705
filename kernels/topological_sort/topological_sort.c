// Graphs: topological order by removing nodes without predecessors, edges as linked lists in arrays.
// Kahn 1962; Knuth's algorithm T. Successor lists are chains of indices, counters go down at places they name, and a
// counter that reaches zero makes the queue longer.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

#define NODES 200
#define EDGES 700

struct link {
    int16_t to;
    int16_t next;
};

// Returns how many nodes were ordered; fewer than all of them means that there is a cycle.
LOOM_ACCEL int topological_sort(int nodes, const int16_t *first, const struct link *links, int16_t *waiting,
                                int16_t *order)
{
    int ready = 0;
    for (int v = 0; v < nodes; v++)
        waiting[v] = 0;
    for (int v = 0; v < nodes; v++)
        for (int l = first[v]; l >= 0; l = links[l].next)
            waiting[links[l].to]++;
    for (int v = 0; v < nodes; v++)
        if (!waiting[v])
            order[ready++] = (int16_t)v;
    for (int done = 0; done < ready; done++) {
        int l = first[order[done]];
        while (l >= 0) {
            const int16_t to = links[l].to;
            if (--waiting[to] == 0)
                order[ready++] = to;
            l = links[l].next;
        }
    }
    return ready;
}

int main(void)
{
    static int16_t first[NODES], waiting[NODES], order[NODES], place[NODES], from[EDGES];
    static struct link links[EDGES];
    static const int sizes[][2] = {{NODES, EDGES}, {0, 0}, {1, 0}, {30, 100}, {NODES, 40}, {60, 300}};
    uint32_t state = 29;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int nodes = sizes[calls][0], edges = sizes[calls][1];
        for (int v = 0; v < nodes; v++)
            first[v] = -1;
        for (int e = 0; e < edges; e++) {
            state = state * 1664525u + 1013904223u;
            int a = (int)((state >> 8) % (uint32_t)nodes), b = (int)((state >> 20) % (uint32_t)nodes);
            if (a == b)
                b = (a + 1) % nodes;
            // Edges follow a hidden order, which is not that of the numbers; the last graph has one edge against it.
            const int forward = a * 7 % nodes < b * 7 % nodes;
            from[e] = (int16_t)(forward ? a : b);
            links[e].to = (int16_t)(forward ? b : a);
            if (calls == 5 && e == edges - 1) {
                from[e] = links[0].to;
                links[e].to = from[0];
            }
            links[e].next = first[from[e]];
            first[from[e]] = (int16_t)e;
        }
        const int ready = topological_sort(nodes, first, links, waiting, order);
        for (int v = 0; v < nodes; v++)
            place[v] = -1;
        for (int i = 0; i < ready; i++) {
            bad += place[order[i]] != -1;
            place[order[i]] = (int16_t)i;
        }
        if (calls == 5) {
            // What is left over is what a cycle reaches: each such node has a predecessor that is left over too.
            bad += ready >= nodes;
            for (int v = 0; v < nodes; v++) {
                int held = 0;
                for (int e = 0; e < edges; e++)
                    held |= links[e].to == v && place[from[e]] < 0;
                bad += (place[v] < 0) != held;
            }
        } else {
            bad += ready != nodes;
            for (int e = 0; e < edges; e++)
                bad += place[from[e]] >= place[links[e].to];
        }
    }
    printf("topological_sort: %d graphs, %d wrong\n", calls, bad);
    return bad != 0;
}
