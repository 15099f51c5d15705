// Linear algebra: QR decomposition by modified Gram-Schmidt, A = Q R, in single precision.
// PolyBench. All accesses go down columns, each column waits for the norm of the one before, and square root and division
// are in between.
#include "loom.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#define ROWS 26
#define COLS 20

LOOM_ACCEL void gramschmidt(int m, int n, float a[restrict][COLS], float r[restrict][COLS], float q[restrict][COLS])
{
    for (int k = 0; k < n; k++) {
        float norm = 0.0f;
        for (int i = 0; i < m; i++)
            norm += a[i][k] * a[i][k];
        r[k][k] = sqrtf(norm);
        for (int i = 0; i < m; i++)
            q[i][k] = a[i][k] / r[k][k];
        for (int j = k + 1; j < n; j++) {
            LOOM_INDEPENDENT;
            r[k][j] = 0.0f;
            for (int i = 0; i < m; i++)
                r[k][j] += q[i][k] * a[i][j];
            for (int i = 0; i < m; i++)
                a[i][j] = a[i][j] - q[i][k] * r[k][j];
        }
    }
}

int main(void)
{
    static const int sizes[][2] = {{ROWS, COLS}, {1, 1}, {4, 0}, {5, 5}, {19, 6}};
    static float a[ROWS][COLS], before[ROWS][COLS], q[ROWS][COLS], r[COLS][COLS];
    uint32_t state = 5;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int m = sizes[calls][0], n = sizes[calls][1];
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) {
                state = state * 22695477u + 1u;
                a[i][j] = before[i][j] = (float)(state >> 21) / 1024.0f - 1.0f + (i == j ? 3.0f : 0.0f);
            }
        gramschmidt(m, n, a, r, q);
        // Columns of Q are orthonormal, R has a positive diagonal, and Q R is A.
        for (int c = 0; c < n; c++) {
            bad += !(r[c][c] > 0.0f);
            for (int d = 0; d <= c; d++) {
                double dot = c == d ? -1.0 : 0.0;
                for (int i = 0; i < m; i++)
                    dot += (double)q[i][c] * q[i][d];
                bad += !(fabs(dot) < 1e-3);
            }
            for (int i = 0; i < m; i++) {
                double sum = 0.0;
                for (int k = 0; k <= c; k++)
                    sum += (double)q[i][k] * r[k][c];
                bad += !(fabs(sum - before[i][c]) < 1e-3);
            }
        }
    }
    printf("gramschmidt: %d decompositions, %d wrong\n", calls, bad);
    return bad != 0;
}
