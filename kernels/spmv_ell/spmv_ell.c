// Sparse matrices: product with a vector in ELLPACK form, padded rows stored by columns.
// Kincaid et al. 1989; the form for vector machines and GPUs. Regular loops with one gather; padding is found by a negative
// column number, and rows accumulate in memory.
#include "loom.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

LOOM_ACCEL void spmv_ell(int rows, int width, const int32_t *restrict col, const float *restrict value,
                         const float *restrict x, float *restrict y)
{
    for (int r = 0; r < rows; r++)
        y[r] = 0.0f;
    for (int k = 0; k < width; k++) {
        for (int r = 0; r < rows; r++) {
            LOOM_INDEPENDENT;
            const int32_t c = col[k * rows + r];
            if (c >= 0)
                y[r] += value[k * rows + r] * x[c];
        }
    }
}

#define MAX 120
#define WIDTH 12

int main(void)
{
    static int32_t col[MAX * WIDTH];
    static float value[MAX * WIDTH], x[MAX], y[MAX + 1];
    static const int sizes[][2] = {{MAX, WIDTH}, {0, 3}, {1, 1}, {30, 0}, {77, 9}};
    uint32_t state = 65;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int rows = sizes[calls][0], width = sizes[calls][1];
        double want = 0.0, have = 0.0, weight[MAX];
        for (int i = 0; i < MAX; i++) {
            x[i] = (float)(i % 9) - 4.0f;
            weight[i] = 1.0 / (1 + i % 11);
            y[i] = 6.0f;
        }
        for (int i = 0; i < rows * width; i++) {
            state = state * 1664525u + 1013904223u;
            const int pad = i / rows > (i % rows) % (width + 1);
            col[i] = pad ? -1 : (int32_t)((state >> 16) % MAX);
            value[i] = pad ? NAN : (float)(state >> 24) / 32.0f - 4.0f;
        }
        y[rows] = 6.0f;
        spmv_ell(rows, width, col, value, x, y);
        bad += y[rows] != 6.0f;
        // Weighted sums of the result, by rows and by entries of the matrix; the weights change to single out each row.
        for (int probe = -1; probe < rows; probe++) {
            have = want = 0.0;
            for (int r = 0; r < rows; r++)
                have += (probe < 0 ? weight[r] : r == probe) * y[r];
            for (int i = rows * width - 1; i >= 0; i--)
                if (col[i] >= 0)
                    want += (probe < 0 ? weight[i % rows] : i % rows == probe) * value[i] * x[col[i]];
            bad += !(fabs(want - have) < 1e-2);
        }
    }
    printf("spmv_ell: %d products, %d wrong\n", calls, bad);
    return bad != 0;
}
