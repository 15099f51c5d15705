// Sparse matrices: transposes a matrix in compressed rows, by counting.
// Gustavson 1978. Counters at places that the column numbers name are counted up, summed and used as cursors, so that
// reads and writes of one array depend on data twice.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

typedef struct {
    int32_t rows, cols;
    int32_t *start;
    int32_t *col;
    float *value;
} csr;

LOOM_ACCEL void csr_transpose(const csr *a, csr *t)
{
    t->rows = a->cols;
    t->cols = a->rows;
    for (int32_t c = 0; c <= a->cols; c++)
        t->start[c] = 0;
    for (int32_t e = 0; e < a->start[a->rows]; e++)
        t->start[a->col[e] + 1]++;
    for (int32_t c = 0; c < a->cols; c++)
        t->start[c + 1] += t->start[c];
    for (int32_t r = 0; r < a->rows; r++) {
        for (int32_t e = a->start[r]; e < a->start[r + 1]; e++) {
            const int32_t at = t->start[a->col[e]]++;
            t->col[at] = r;
            t->value[at] = a->value[e];
        }
    }
    // The cursors have moved to where the next column begins.
    for (int32_t c = a->cols; c > 0; c--)
        t->start[c] = t->start[c - 1];
    t->start[0] = 0;
}

#define MAX 60
#define EDGES 700

int main(void)
{
    static int32_t start[2][MAX + 1], col[2][EDGES];
    static float value[2][EDGES], dense[MAX][MAX];
    static const int32_t sizes[][2] = {{MAX, 50}, {0, 0}, {1, 1}, {0, 7}, {9, 0}, {20, MAX}};
    uint32_t state = 26;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        csr a = {sizes[calls][0], sizes[calls][1], start[0], col[0], value[0]}, t = {-1, -1, start[1], col[1], value[1]};
        int32_t n = 0;
        for (int32_t r = 0; r < a.rows; r++) {
            start[0][r] = n;
            for (int32_t c = 0; c < a.cols; c++) {
                state = state * 1664525u + 1013904223u;
                dense[r][c] = state >> 29 == 0 && r % 7 != 3 ? (float)(1 + (state >> 8 & 255)) : 0.0f;
                if (dense[r][c] != 0.0f && n < EDGES) {
                    col[0][n] = c;
                    value[0][n++] = dense[r][c];
                }
            }
        }
        start[0][a.rows] = n;
        csr_transpose(&a, &t);
        bad += t.rows != a.cols || t.cols != a.rows || t.start[t.rows] != n || t.start[0] != 0;
        // Every entry of the transpose takes one away from the matrix, in order of its columns; nothing remains.
        for (int32_t r = 0; r < t.rows; r++)
            for (int32_t e = t.start[r]; e < t.start[r + 1]; e++) {
                bad += e > t.start[r] && t.col[e] <= t.col[e - 1];
                bad += dense[t.col[e]][r] != t.value[e];
                dense[t.col[e]][r] = 0.0f;
            }
        for (int32_t r = 0; r < a.rows; r++)
            for (int32_t c = 0; c < a.cols; c++)
                bad += dense[r][c] != 0.0f;
    }
    printf("csr_transpose: %d matrices, %d wrong\n", calls, bad);
    return bad != 0;
}
