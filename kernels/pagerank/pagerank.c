// Graphs: PageRank by pulling along incoming edges, single precision, until it has converged.
// Page and Brin 1998. Rows of a sparse graph with a gather of floats in them, a division for each node, and a global
// condition that a sum of differences decides.
#include "loom.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#define NODES 60
#define EDGES 260

struct graph {
    int nodes;
    const uint16_t *start;
    const uint16_t *source;
    const uint16_t *out_degree;
};

// Returns the rounds needed.
LOOM_ACCEL int pagerank(const struct graph *g, float damping, float tolerance, float *restrict rank,
                        float *restrict share)
{
    const int n = g->nodes;
    int rounds = 0;
    float moved;
    for (int v = 0; v < n; v++)
        rank[v] = 1.0f / (float)n;
    do {
        float dangling = 0.0f;
        for (int v = 0; v < n; v++) {
            if (g->out_degree[v] == 0) {
                dangling += rank[v];
                share[v] = 0.0f;
            } else {
                share[v] = rank[v] / (float)g->out_degree[v];
            }
        }
        const float base = (1.0f - damping + damping * dangling) / (float)n;
        moved = 0.0f;
        for (int v = 0; v < n; v++) {
            float sum = 0.0f;
            for (int e = g->start[v]; e < g->start[v + 1]; e++)
                sum += share[g->source[e]];
            const float next = base + damping * sum;
            moved += fabsf(next - rank[v]);
            rank[v] = next;
        }
        rounds++;
    } while (moved > tolerance && rounds < 100);
    return rounds;
}

int main(void)
{
    static uint16_t start[NODES + 1], source[EDGES], degree[NODES];
    static float rank[NODES], share[NODES];
    static double p[NODES][NODES];
    static const int sizes[] = {NODES, 0, 1, 2, 35};
    uint32_t state = 37;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int n = sizes[calls];
        uint16_t edges = 0;
        for (int v = 0; v < n; v++)
            degree[v] = 0;
        for (int v = 0; v < n; v++) {
            start[v] = edges;
            for (int k = 0; k < 4 && n > 1; k++) {
                state = state * 1664525u + 1013904223u;
                // The first nodes have no way out.
                const uint16_t u = (uint16_t)((state >> 16) % (uint32_t)n);
                if (u < n / 8 || k > v % 5)
                    continue;
                source[edges++] = u;
                degree[u]++;
            }
        }
        start[n] = edges;
        const struct graph g = {n, start, source, degree};
        const int rounds = pagerank(&g, 0.85f, 1e-6f, rank, share);
        bad += rounds < 1 || rounds >= 100;
        // Solves rank = base + 0.85 P rank by elimination, without pivoting: the matrix is diagonally dominant by columns.
        static double x[NODES];
        for (int v = 0; v < n; v++) {
            for (int u = 0; u < n; u++)
                p[v][u] = (u == v) - (degree[u] == 0 ? 0.85 / n : 0.0);
            for (int e = start[v]; e < start[v + 1]; e++)
                p[v][source[e]] -= 0.85 / degree[source[e]];
            x[v] = 0.15 / n;
        }
        for (int k = 0; k < n; k++)
            for (int i = 0; i < n; i++) {
                if (i == k)
                    continue;
                const double f = p[i][k] / p[k][k];
                for (int j = k; j < n; j++)
                    p[i][j] -= f * p[k][j];
                x[i] -= f * x[k];
            }
        double sum = 0.0;
        for (int v = 0; v < n; v++) {
            bad += !(fabs(x[v] / p[v][v] - rank[v]) < 1e-4 * fmax(1.0, 20.0 * rank[v]));
            sum += rank[v];
        }
        bad += n > 0 && !(fabs(sum - 1.0) < 1e-3);
    }
    printf("pagerank: %d graphs, %d ranks wrong\n", calls, bad);
    return bad != 0;
}
