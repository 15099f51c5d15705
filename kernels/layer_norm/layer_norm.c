// Machine learning: layer normalisation with gain and offset, one pass for mean and variance.
// Transformers (Ba et al. 2016); the running variance is Welford's (1962). A division on the recurrence of the statistics,
// then a reciprocal square root that the second loop waits for.
#include "loom.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

LOOM_ACCEL void layer_norm(float *x, const float *gain, const float *offset, int rows, int cols, float epsilon)
{
    for (int r = 0; r < rows; r++, x += cols) {
        float mean = 0.0f, square = 0.0f;
        for (int i = 0; i < cols; i++) {
            const float delta = x[i] - mean;
            mean += delta / (float)(i + 1);
            square += delta * (x[i] - mean);
        }
        const float scale = 1.0f / sqrtf(square / (float)cols + epsilon);
        for (int i = 0; i < cols; i++)
            x[i] = (x[i] - mean) * scale * gain[i] + offset[i];
    }
}

#define ROWS 24
#define COLS 64

int main(void)
{
    static const int sizes[][2] = {{ROWS, COLS}, {0, 3}, {2, 1}, {7, 20}};
    static float x[ROWS * COLS], before[ROWS * COLS], gain[COLS], offset[COLS];
    uint32_t state = 28;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int rows = sizes[calls][0], cols = sizes[calls][1];
        for (int i = 0; i < COLS; i++) {
            gain[i] = 0.5f + (float)(i % 5);
            offset[i] = (float)(i % 3) - 1.0f;
        }
        for (int i = 0; i < ROWS * COLS; i++) {
            state = state * 1664525u + 1013904223u;
            // A mean that is large against the deviation.
            x[i] = before[i] = 20.0f + (float)(state >> 24) / 100.0f;
        }
        layer_norm(x, gain, offset, rows, cols, 1e-5f);
        for (int r = 0; r < rows; r++) {
            double mean = 0.0, variance = 0.0;
            for (int i = 0; i < cols; i++)
                mean += before[r * cols + i] / (double)cols;
            for (int i = 0; i < cols; i++)
                variance += pow(before[r * cols + i] - mean, 2.0) / cols;
            for (int i = 0; i < cols; i++) {
                const double want = (before[r * cols + i] - mean) / sqrt(variance + 1e-5) * gain[i] + offset[i];
                bad += !(fabs(want - x[r * cols + i]) < 2e-3);
            }
        }
        for (int i = rows * cols; i < ROWS * COLS; i++)
            bad += x[i] != before[i];
    }
    printf("layer_norm: %d matrices, %d values wrong\n", calls, bad);
    return bad != 0;
}
