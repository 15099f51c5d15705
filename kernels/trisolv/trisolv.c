// Linear algebra: forward substitution, L x = b for a lower triangular matrix, in double precision.
// PolyBench. The inner loop grows by one each time and reads what the outer one just wrote: a recurrence through memory
// with a division on it.
#include "loom.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#define N 72

LOOM_ACCEL void trisolv(int n, const double *restrict l, const double *restrict b, double *restrict x)
{
    for (int i = 0; i < n; i++) {
        double sum = b[i];
        const double *row = l + (long)i * n;
        for (int j = 0; j < i; j++)
            sum -= row[j] * x[j];
        x[i] = sum / row[i];
    }
}

int main(void)
{
    static const int sizes[] = {N, 0, 1, 2, 31};
    static double l[N * N], b[N], x[N];
    uint32_t state = 3;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int n = sizes[calls];
        double biggest = 0.0;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                state = state * 1664525u + 1013904223u;
                // Above the diagonal stands what must not be read.
                l[i * n + j] = j > i ? NAN : j == i ? 4.0 + i : (double)(state >> 16) / 65536.0 - 0.5;
            }
            b[i] = (double)(i % 5) - 2.0;
            x[i] = -1.0;
        }
        trisolv(n, l, b, x);
        // The residual, column by column.
        for (int j = 0; j < n; j++)
            for (int i = j; i < n; i++)
                b[i] -= l[i * n + j] * x[j];
        for (int i = 0; i < n; i++)
            biggest = fmax(biggest, isfinite(x[i]) ? fabs(b[i]) : INFINITY);
        bad += !(biggest < 1e-12);
    }
    printf("trisolv: %d systems, %d wrong\n", calls, bad);
    return bad != 0;
}
