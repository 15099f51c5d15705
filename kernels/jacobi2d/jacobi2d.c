// Stencils: Jacobi's five-point iteration between two grids, single precision.
// PolyBench; steady heat in a plate. Time steps outside, two sweeps that swap the roles of the arrays, neighbours in both
// directions.
#include "loom.h"

#include <math.h>
#include <stdio.h>

#define N 22

LOOM_ACCEL void jacobi2d(int steps, int n, float a[restrict N][N], float b[restrict N][N])
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++) {
            LOOM_INDEPENDENT;
            for (int j = 1; j < n - 1; j++) {
                LOOM_INDEPENDENT;
                b[i][j] = 0.25f * (a[i][j - 1] + a[i][j + 1] + a[i - 1][j] + a[i + 1][j]);
            }
        }
        for (int i = 1; i < n - 1; i++) {
            LOOM_INDEPENDENT;
            for (int j = 1; j < n - 1; j++) {
                LOOM_INDEPENDENT;
                a[i][j] = 0.25f * (b[i][j - 1] + b[i][j + 1] + b[i - 1][j] + b[i + 1][j]);
            }
        }
    }
}

int main(void)
{
    static const int sizes[][2] = {{0, N}, {3, 0}, {3, 2}, {5, 3}, {20, N}, {12, 12}};
    static float a[N][N], b[N][N];
    const double pi = 3.141592653589793;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int steps = sizes[calls][0], n = sizes[calls][1];
        // Sum of two eigenvectors of the iteration, which is zero at the border: each shrinks by its own factor.
        const double w = n > 1 ? pi / (n - 1) : 0.0;
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                const int inside = i < n && j < n && i > 0 && j > 0 && i < n - 1 && j < n - 1;
                a[i][j] = inside ? (float)(sin(w * i) * sin(w * j) + 0.5 * sin(w * i) * sin(3.0 * w * j)) : i < n && j < n ? 0.0f : 9.0f;
                b[i][j] = 0.0f;
            }
        jacobi2d(steps, n, a, b);
        const double f1 = pow(cos(w), 2.0 * steps), f2 = pow(0.5 * (cos(w) + cos(3.0 * w)), 2.0 * steps);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                const double want = f1 * sin(w * i) * sin(w * j) + 0.5 * f2 * sin(w * i) * sin(3.0 * w * j);
                bad += i < n && j < n ? !(fabs(want - a[i][j]) < 1e-5) : a[i][j] != 9.0f;
            }
    }
    printf("jacobi2d: %d grids, %d values wrong\n", calls, bad);
    return bad != 0;
}
