// Linear algebra: y = A^T (A x), the normal equations' product.
// PolyBench. The same matrix is read by rows and by columns of the result, and the second part adds into y in memory, so
// each element of y is read and written once for each row.
#include "loom.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#define ROWS 40
#define COLS 36

static float A[ROWS][COLS];
static float x[COLS], y[COLS];

LOOM_ACCEL void atax(int rows, int cols)
{
    for (int j = 0; j < cols; j++)
        y[j] = 0.0f;
    for (int i = 0; i < rows; i++) {
        LOOM_TRIP(0, ROWS);
        float t = 0.0f;
        for (int j = 0; j < cols; j++)
            t += A[i][j] * x[j];
        for (int j = 0; j < cols; j++) {
            LOOM_INDEPENDENT;
            y[j] = y[j] + A[i][j] * t;
        }
    }
}

// By the Gram matrix: y = (A^T A) x, its elements one at a time.
static int check(int rows, int cols)
{
    for (int j = 0; j < cols; j++) {
        double want = 0.0;
        for (int k = 0; k < cols; k++) {
            double gram = 0.0;
            for (int i = 0; i < rows; i++)
                gram += (double)A[i][j] * A[i][k];
            want += gram * x[k];
        }
        if (!(fabs(want - y[j]) <= 1e-3))
            return 1;
    }
    return 0;
}

int main(void)
{
    static const int sizes[][2] = {{ROWS, COLS}, {1, 1}, {0, 5}, {7, 0}, {12, 30}};
    uint32_t state = 99;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int rows = sizes[calls][0], cols = sizes[calls][1];
        for (int j = 0; j < COLS; j++) {
            x[j] = (float)((j * 7 + calls) % 13) * 0.125f - 0.75f;
            y[j] = 777.0f;
        }
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLS; j++) {
                state = state * 1103515245u + 12345u;
                A[i][j] = (float)(int)(state >> 24) / 128.0f - 1.0f;
            }
        atax(rows, cols);
        bad += check(rows, cols);
        for (int j = cols; j < COLS; j++)
            bad += y[j] != 777.0f;
    }
    printf("atax: %d products, %d wrong\n", calls, bad);
    return bad != 0;
}
