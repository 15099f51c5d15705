// Linear algebra: matrix product with scaling and accumulation, C = alpha A B + beta C, in single precision.
// BLAS level 3 and PolyBench. A reduction in the innermost loop over two arrays with different strides; the products of
// one row are independent, the sums are not.
#include "loom.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#define MAX 18

LOOM_ACCEL void gemm(int m, int n, int k, float alpha, const float *restrict a, const float *restrict b, float beta,
                     float *restrict c)
{
    for (int i = 0; i < m; i++) {
        LOOM_INDEPENDENT;
        for (int j = 0; j < n; j++) {
            LOOM_INDEPENDENT;
            float sum = 0.0f;
            for (int t = 0; t < k; t++)
                sum += a[i * k + t] * b[t * n + j];
            c[i * n + j] = alpha * sum + beta * c[i * n + j];
        }
    }
}

static uint32_t state = 1;

static float small(void)
{
    state = state * 1664525u + 1013904223u;
    return (float)(state >> 20) / 2048.0f - 1.0f;
}

// Freivalds' check: C v = alpha A (B v) + beta C0 v for vectors of +1 and -1, in double precision.
static int check(int m, int n, int k, float alpha, const float *a, const float *b, float beta, const float *before,
                 const float *c)
{
    for (int round = 0; round < 8; round++) {
        double v[MAX], w[MAX];
        for (int j = 0; j < n; j++)
            v[j] = small() < 0.0f ? -1.0 : 1.0;
        for (int t = 0; t < k; t++) {
            w[t] = 0.0;
            for (int j = 0; j < n; j++)
                w[t] += b[t * n + j] * v[j];
        }
        for (int i = 0; i < m; i++) {
            double have = 0.0, want = 0.0;
            for (int j = 0; j < n; j++) {
                have += c[i * n + j] * v[j];
                want += (double)beta * before[i * n + j] * v[j];
            }
            for (int t = 0; t < k; t++)
                want += (double)alpha * a[i * k + t] * w[t];
            if (!(fabs(have - want) < 1e-3))
                return 1;
        }
    }
    return 0;
}

int main(void)
{
    static const int sizes[][3] = {{16, 16, 16}, {1, 1, 1}, {3, 18, 7}, {0, 4, 4}, {5, 0, 3}, {4, 6, 0}, {18, 2, 11}};
    static float a[MAX * MAX], b[MAX * MAX], c[MAX * MAX], before[MAX * MAX];
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int m = sizes[calls][0], n = sizes[calls][1], k = sizes[calls][2];
        for (int i = 0; i < MAX * MAX; i++) {
            a[i] = small();
            b[i] = small();
            c[i] = before[i] = small();
        }
        const float alpha = small(), beta = calls % 2 ? 1.0f : small();
        gemm(m, n, k, alpha, a, b, beta, c);
        bad += check(m, n, k, alpha, a, b, beta, before, c);
        for (int i = m * n; i < MAX * MAX; i++)
            bad += c[i] != before[i];
    }
    printf("gemm: %d products, %d wrong\n", calls, bad);
    return bad != 0;
}
