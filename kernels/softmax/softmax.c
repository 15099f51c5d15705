// Machine learning: softmax of each row, made safe by the row's maximum.
// The last layer of every classifier. Three passes over a row: a maximum, a sum of exponentials that are kept in the
// output, and a division that waits for the sum; expf comes from the library.
#include "loom.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

LOOM_ACCEL void softmax(const float *restrict in, float *restrict out, int rows, int cols)
{
    for (int r = 0; r < rows; r++) {
        LOOM_INDEPENDENT;
        const float *x = in + r * cols;
        float *y = out + r * cols;
        float top = -INFINITY, sum = 0.0f;
        for (int i = 0; i < cols; i++)
            top = fmaxf(top, x[i]);
        for (int i = 0; i < cols; i++) {
            y[i] = expf(x[i] - top);
            sum += y[i];
        }
        const float scale = 1.0f / sum;
        for (int i = 0; i < cols; i++)
            y[i] *= scale;
    }
}

#define ROWS 30
#define COLS 40

int main(void)
{
    static const int sizes[][2] = {{ROWS, COLS}, {0, 5}, {3, 0}, {4, 1}, {9, 11}};
    static float in[ROWS * COLS], out[ROWS * COLS];
    uint32_t state = 4;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int rows = sizes[calls][0], cols = sizes[calls][1];
        for (int i = 0; i < ROWS * COLS; i++) {
            state = state * 1664525u + 1013904223u;
            // Far from zero, where an exponential alone would overflow.
            in[i] = (float)(state >> 24) / 16.0f + (float)(i % 3 - 1) * 0.5f + (calls % 2 ? -500.0f : 500.0f);
            out[i] = -3.0f;
        }
        softmax(in, out, rows, cols);
        // Ratios of outputs are exponentials of differences, and the sum is one.
        for (int r = 0; r < rows; r++) {
            double sum = 0.0;
            for (int i = 0; i < cols; i++) {
                const double share = out[r * cols + i];
                double others = 0.0;
                for (int j = 0; j < cols; j++)
                    others += exp((double)in[r * cols + j] - in[r * cols + i]);
                bad += !(fabs(share * others - 1.0) < 1e-4 || (share < 1e-30 && others > 1e29));
                sum += share;
            }
            bad += cols > 0 && !(fabs(sum - 1.0) < 1e-4);
        }
        for (int i = rows * cols; i < ROWS * COLS; i++)
            bad += out[i] != -3.0f;
    }
    printf("softmax: %d matrices, %d values wrong\n", calls, bad);
    return bad != 0;
}
