// Linear algebra: largest eigenvalue of a symmetric matrix by power iteration until it no longer moves.
// Numerical recipes. A do-while whose trip count depends on floating-point convergence, around a matrix-vector product,
// a norm with square root, and a copy back.
#include "loom.h"

#include <math.h>
#include <stdio.h>

#define N 20

static float a[N][N];

// Returns the steps taken; v is the start and the eigenvector found.
LOOM_ACCEL int power_iteration(int n, float v[N], float tolerance, int limit, float *value)
{
    float w[N], last, now = 0.0f;
    int steps = 0;
    do {
        LOOM_TRIP(1, 100);
        last = now;
        float square = 0.0f;
        for (int i = 0; i < n; i++) {
            w[i] = 0.0f;
            for (int j = 0; j < n; j++)
                w[i] += a[i][j] * v[j];
            square += w[i] * w[i];
        }
        now = sqrtf(square);
        for (int i = 0; i < n; i++)
            v[i] = w[i] / now;
        steps++;
    } while (fabsf(now - last) > tolerance * now && steps < limit);
    *value = now;
    return steps;
}

int main(void)
{
    static const int sizes[] = {N, 1, 2, 7};
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int n = sizes[calls];
        // D + c u u^T with a known answer: u is all ones, so (1, 1, ...) belongs to d + c n, all others to d.
        const float d = 1.5f, c = 0.125f * (float)(1 + calls);
        float v[N], value = 0.0f;
        for (int i = 0; i < n; i++) {
            v[i] = 1.0f + 0.5f * (float)(i % 4);
            for (int j = 0; j < n; j++)
                a[i][j] = c + (i == j ? d : 0.0f);
        }
        const int steps = power_iteration(n, v, 1e-6f, 100, &value);
        bad += steps < 2 || steps >= 100;
        bad += !(fabsf(value - (d + c * (float)n)) < 1e-3f);
        for (int i = 0; i < n; i++)
            bad += !(fabsf(v[i] - 1.0f / sqrtf((float)n)) < 1e-2f);
    }
    // Equal eigenvalues of both signs do not stop it from counting; the limit does.
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            a[i][j] = (float)(i == j) * (2.0f - (float)i);
    float v[N] = {1.0f, 1.0f, 1.0f}, value = 0.0f;
    bad += power_iteration(3, v, 0.0f, 3, &value) != 3 || !(value > 1.5f);
    printf("power_iteration: %d matrices, %d wrong\n", calls + 1, bad);
    return bad != 0;
}
