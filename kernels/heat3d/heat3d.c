// Stencils: heat equation in a box, seven-point stencil, explicit time steps, double precision.
// PolyBench. Three-dimensional subscripts, seven loads for one store, and two arrays that pointers swap between steps.
#include "loom.h"

#include <math.h>
#include <stdio.h>

#define N 10

typedef double grid[N][N][N];

// Returns the number of the array that holds the answer: 0 or 1.
LOOM_ACCEL int heat3d(grid *pair, int n, int steps, double r)
{
    double(*now)[N][N] = pair[0], (*next)[N][N] = pair[1];
    for (int t = 0; t < steps; t++) {
        for (int x = 1; x < n - 1; x++)
            for (int y = 1; y < n - 1; y++)
                for (int z = 1; z < n - 1; z++) {
                    const double c = now[x][y][z];
                    next[x][y][z] = c + r * (now[x + 1][y][z] - 2.0 * c + now[x - 1][y][z]) +
                                    r * (now[x][y + 1][z] - 2.0 * c + now[x][y - 1][z]) +
                                    r * (now[x][y][z + 1] - 2.0 * c + now[x][y][z - 1]);
                }
        double(*swap)[N][N] = now;
        now = next;
        next = swap;
    }
    return now == pair[1];
}

int main(void)
{
    static const int sizes[][2] = {{N, 12}, {0, 3}, {1, 1}, {3, 7}, {N, 0}, {7, 9}};
    static grid pair[2];
    const double pi = 3.141592653589793, r = 0.125;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int n = sizes[calls][0], steps = sizes[calls][1];
        const double w = n > 1 ? pi / (n - 1) : 0.0;
        // A plane wave in each direction plus a constant gradient, which does not change at all.
        for (int i = 0; i < N * N * N; i++) {
            const int x = i / (N * N), y = i / N % N, z = i % N;
            pair[0][x][y][z] = pair[1][x][y][z] = x - 2.0 * y + 3.0 * z + sin(w * x) * sin(2.0 * w * y) * sin(w * z);
        }
        const int which = heat3d(pair, n, steps, r);
        bad += which != steps % 2;
        const double factor = pow(1.0 + 2.0 * r * (2.0 * cos(w) + cos(2.0 * w) - 3.0), steps);
        for (int i = 0; i < n * n * n; i++) {
            const int x = i / (n * n), y = i / n % n, z = i % n;
            const double want = x - 2.0 * y + 3.0 * z + factor * sin(w * x) * sin(2.0 * w * y) * sin(w * z);
            bad += !(fabs(want - pair[which][x][y][z]) < 1e-9);
        }
    }
    printf("heat3d: %d boxes, %d values wrong\n", calls, bad);
    return bad != 0;
}
