// Machine learning: matrix times vector in half precision with bias and leaky ReLU, and the largest result.
// Weights and activations as inference stores them: half in memory, sums in single precision. Conversions lie in every
// loop, and half is an argument and a result.
#include "loom.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

__extension__ typedef _Float16 half;

LOOM_ACCEL half half_gemv(const half *restrict w, const half *restrict x, const half *restrict bias, half *restrict y,
                          int rows, int cols, half slope)
{
    half largest = 0;
    for (int r = 0; r < rows; r++) {
        float sum = 0;
        for (int c = 0; c < cols; c++)
            sum += (float)w[r * cols + c] * (float)x[c];
        half value = (half)sum + bias[r];
        if (value < 0)
            value *= slope;
        if (value > largest)
            largest = value;
        y[r] = value;
    }
    return largest;
}

#define ROWS 40
#define COLS 60

static uint32_t state = 41;

/* A multiple of 2^-bits between -1 and 1. */
static half drawn(int bits)
{
    state = state * UINT32_C(1664525) + UINT32_C(1013904223);
    const int32_t steps = INT32_C(1) << bits;
    return (half)((float)((int32_t)(state >> 8) % (2 * steps + 1) - steps) / (float)steps);
}

int main(void)
{
    static const int sizes[][2] = {{ROWS, COLS}, {0, 7}, {7, 0}, {1, 1}, {33, 9}, {8, 59}};
    static half w[ROWS * COLS], x[COLS], bias[ROWS], y[ROWS + 1];
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int rows = sizes[calls][0], cols = sizes[calls][1];
        const half slope = (half)(0.125f * (float)calls);
        for (int i = 0; i < rows * cols; i++)
            w[i] = drawn(6);
        for (int i = 0; i < cols; i++)
            x[i] = drawn(4);
        for (int i = 0; i < rows; i++)
            bias[i] = drawn(8);
        y[rows] = 66;
        const double largest = (double)half_gemv(w, x, bias, y, rows, cols, slope);
        bad += (double)y[rows] != 66.0;
        /* In units of 2^-10 the sums are whole numbers, so only the ends are rounded: three times, to 11 bits each. */
        double most = 0.0;
        for (int r = 0; r < rows; r++) {
            int64_t sum = 0;
            for (int c = 0; c < cols; c++)
                sum += (int64_t)((double)w[r * cols + c] * 64.0) * (int64_t)((double)x[c] * 16.0);
            double want = (double)sum / 1024.0, error = fabs(want) + 1.0;
            want += (double)bias[r];
            want *= want < 0.0 ? (double)slope : 1.0;
            bad += fabs((double)y[r] - want) > error * 3.0 / 2048.0;
            most = (double)y[r] > most ? (double)y[r] : most;
        }
        bad += most != largest;
    }
    printf("half_gemv: %d products, %d numbers wrong\n", calls, bad);
    return bad != 0;
}
