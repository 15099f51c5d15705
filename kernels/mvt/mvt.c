// Linear algebra: x1 = x1 + A y1 and x2 = x2 + A^T y2, with 32-bit integers that wrap.
// PolyBench. Two nests over one matrix, the second by columns; nothing says that the vectors do not overlap, so accesses
// keep their order unless that is found out.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define N 40

LOOM_ACCEL void mvt(uint32_t n, uint32_t x1[], uint32_t x2[], const uint32_t y1[], const uint32_t y2[],
                    uint32_t a[][N])
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            x1[i] = x1[i] + a[i][j] * y1[j];
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            x2[i] = x2[i] + a[j][i] * y2[j];
}

static uint32_t state = 7;

static uint32_t next(void)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

int main(void)
{
    static const uint32_t sizes[] = {N, 0, 1, 2, 17};
    static uint32_t a[N][N], x1[N], x2[N], y1[N], y2[N], want1[N], want2[N];
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const uint32_t n = sizes[calls];
        for (uint32_t i = 0; i < N; i++) {
            want1[i] = x1[i] = next();
            want2[i] = x2[i] = next();
            y1[i] = next();
            y2[i] = next();
            for (uint32_t j = 0; j < N; j++)
                a[i][j] = next();
        }
        mvt(n, x1, x2, y1, y2, a);
        // One pass that scatters each element into both results.
        for (uint32_t e = 0; e < n * n; e++) {
            const uint32_t row = e / n, col = e % n;
            want1[row] += a[row][col] * y1[col];
            want2[col] += a[row][col] * y2[row];
        }
        bad += memcmp(x1, want1, sizeof x1) != 0;
        bad += memcmp(x2, want2, sizeof x2) != 0;
    }
    printf("mvt: %d calls, %d wrong\n", calls, bad);
    return bad != 0;
}
