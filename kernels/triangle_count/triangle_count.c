// Graphs: counts triangles by intersecting sorted lists of neighbours.
// Social network analysis; GAP benchmark suite. Two positions advance through two rows by comparison, one loop inside two
// others, and nothing is written but the sum.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

#define MAX 70

LOOM_ACCEL uint32_t triangle_count(const uint32_t *start, const uint16_t *neighbour, uint32_t nodes)
{
    uint32_t triangles = 0;
    for (uint32_t u = 0; u < nodes; u++) {
        for (uint32_t e = start[u]; e < start[u + 1]; e++) {
            const uint32_t v = neighbour[e];
            if (v >= u)
                break;
            uint32_t i = start[u], j = start[v];
            while (i < e && j < start[v + 1]) {
                const uint16_t a = neighbour[i], b = neighbour[j];
                if (b >= v)
                    break;
                triangles += a == b;
                i += a <= b;
                j += b <= a;
            }
        }
    }
    return triangles;
}

int main(void)
{
    static uint8_t edge[MAX][MAX];
    static uint32_t start[MAX + 1];
    static uint16_t neighbour[MAX * MAX];
    static const uint32_t sizes[] = {MAX, 0, 1, 3, 40, 12};
    uint32_t state = 83, total = 0;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const uint32_t n = sizes[calls];
        for (uint32_t u = 0; u < n; u++)
            for (uint32_t v = 0; v <= u; v++) {
                state = state * 1664525u + 1013904223u;
                // The last graph is complete.
                edge[u][v] = edge[v][u] = u != v && (state >> 30 == 0 || calls == 5);
            }
        uint32_t edges = 0;
        for (uint32_t u = 0; u < n; u++) {
            start[u] = edges;
            for (uint32_t v = 0; v < n; v++)
                if (edge[u][v])
                    neighbour[edges++] = (uint16_t)v;
        }
        start[n] = edges;
        const uint32_t count = triangle_count(start, neighbour, n);
        // Closed walks of length three: six for each triangle.
        uint32_t walks = 0;
        for (uint32_t u = 0; u < n; u++)
            for (uint32_t v = 0; v < n; v++)
                for (uint32_t w = 0; w < n; w++)
                    walks += edge[u][v] & edge[v][w] & edge[w][u];
        bad += 6 * count != walks;
        bad += calls == 5 && count != 12 * 11 * 10 / 6;
        total += count;
    }
    printf("triangle_count: %d graphs, %u triangles, %d wrong\n", calls, total, bad);
    return bad != 0;
}
