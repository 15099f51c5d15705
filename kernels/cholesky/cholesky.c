// Linear algebra: Cholesky decomposition in place, A = L L^T; stops at the first pivot that is not positive.
// PolyBench and LAPACK's potf2. Triangular loops three deep, square root and division on the outer recurrence, and an
// early return from the middle.
#include "loom.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#define N 28

static float a[N][N];

// 0, or the number of the bad pivot counted from 1.
LOOM_ACCEL int cholesky(int n)
{
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < j; k++)
            a[j][j] -= a[j][k] * a[j][k];
        if (a[j][j] <= 0.0f)
            return j + 1;
        a[j][j] = sqrtf(a[j][j]);
        for (int i = j + 1; i < n; i++) {
            for (int k = 0; k < j; k++)
                a[i][j] -= a[i][k] * a[j][k];
            a[i][j] /= a[j][j];
        }
    }
    return 0;
}

int main(void)
{
    static const int sizes[] = {N, 0, 1, 2, 13};
    static float lower[N][N];
    uint32_t state = 17;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int n = sizes[calls];
        // A is made from a known factor with a positive diagonal, which is unique.
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++) {
                state = state * 69069u + 5u;
                lower[i][j] = i == j ? 2.0f + (float)(i % 3) : (float)(int)(state >> 28) / 16.0f - 0.5f;
            }
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++) {
                double sum = 0.0;
                for (int k = 0; k <= j; k++)
                    sum += (double)lower[i][k] * lower[j][k];
                a[i][j] = (float)sum;
            }
        bad += cholesky(n) != 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++)
                bad += !(fabsf(a[i][j] - lower[i][j]) < 1e-3f);
    }
    // The third pivot is zero.
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            a[i][j] = i == j ? (i < 2 ? 1.0f : 0.0f) : 0.0f;
    bad += cholesky(4) != 3;
    printf("cholesky: %d decompositions, %d wrong\n", calls + 1, bad);
    return bad != 0;
}
