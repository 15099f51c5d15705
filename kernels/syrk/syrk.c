// Linear algebra: symmetric rank-k update of the lower triangle, C = C + A A^T, 16-bit inputs into 64-bit sums.
// BLAS level 3. The middle loop's bound is the outer index; both factors are rows of one array, and sums are wider than
// what is multiplied.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

#define N 24
#define K 20

LOOM_ACCEL void syrk(int n, int k, int16_t (*restrict a)[K], int64_t (*restrict c)[N])
{
    for (int i = 0; i < n; i++) {
        LOOM_INDEPENDENT;
        for (int j = 0; j <= i; j++) {
            LOOM_INDEPENDENT;
            int64_t sum = c[i][j];
            for (int t = 0; t < k; t++)
                sum += (int32_t)a[i][t] * a[j][t];
            c[i][j] = sum;
        }
    }
}

int main(void)
{
    static const int sizes[][2] = {{N, K}, {0, 3}, {1, 1}, {5, 0}, {9, 17}};
    static int16_t a[N][K];
    static int64_t c[N][N], want[N][N];
    uint32_t state = 11;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int n = sizes[calls][0], k = sizes[calls][1];
        for (int i = 0; i < N; i++) {
            for (int t = 0; t < K; t++) {
                state = state * 1103515245u + 12345u;
                // Both ends of the range, so that a product of 16 bits would not do.
                a[i][t] = t % 7 == 0 ? INT16_MIN : (int16_t)(int)((state >> 16) - 32768u);
            }
            for (int j = 0; j < N; j++)
                c[i][j] = want[i][j] = ((int64_t)i << 40) - j;
        }
        syrk(n, k, a, c);
        // As a sum of k products of a column with itself.
        for (int t = 0; t < k; t++)
            for (int j = 0; j < n; j++)
                for (int i = j; i < n; i++)
                    want[i][j] += (int64_t)a[i][t] * a[j][t];
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                bad += c[i][j] != want[i][j];
    }
    printf("syrk: %d updates, %d wrong\n", calls, bad);
    return bad != 0;
}
