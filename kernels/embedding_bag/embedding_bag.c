// Machine learning: sums of embedding rows for bags of indices, with weights, double precision.
// Recommendation models. A gather of whole rows by indices that are data, bags that begin where an offset array says, and
// indices that must be left out.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

#define DIM 12
#define ROWS 50

LOOM_ACCEL void embedding_bag(double (*table)[DIM], const int64_t *index, const double *weight, const int64_t *offset,
                              int64_t bags, double (*out)[DIM])
{
    for (int64_t b = 0; b < bags; b++) {
        for (int64_t d = 0; d < DIM; d++)
            out[b][d] = 0.0;
        for (int64_t i = offset[b]; i < offset[b + 1]; i++) {
            const int64_t row = index[i];
            if (row < 0)
                continue;
            const double w = weight ? weight[i] : 1.0;
            for (int64_t d = 0; d < DIM; d++)
                out[b][d] += w * table[row][d];
        }
    }
}

#define BAGS 40
#define INDICES 400

int main(void)
{
    static const int64_t sizes[] = {BAGS, 0, 1, 17};
    static double table[ROWS][DIM], out[BAGS][DIM], weight[INDICES];
    static int64_t index[INDICES], offset[BAGS + 1];
    uint32_t state = 30;
    int bad = 0, calls = 0;
    for (int r = 0; r < ROWS; r++)
        for (int d = 0; d < DIM; d++)
            table[r][d] = (double)((r * 13 + d * 7) % 32) - 16.0;
    for (; calls < 8; calls++) {
        const int64_t bags = sizes[calls % 4];
        int64_t n = 0;
        for (int64_t b = 0; b < BAGS; b++) {
            offset[b] = n;
            state = state * 1664525u + 1013904223u;
            for (uint32_t k = state >> 29; k > 0; k--, n++) {
                state = state * 1664525u + 1013904223u;
                index[n] = (int64_t)(state >> 16) % (ROWS + 3) - 3;
                weight[n] = (double)(state >> 30) * 0.25;
            }
            for (int d = 0; d < DIM; d++)
                out[b][d] = 1e6;
        }
        offset[BAGS] = n;
        embedding_bag(table, index, calls < 4 ? weight : NULL, offset, bags, out);
        // How often each row is in a bag; all values are small multiples of 1/4, so sums are exact.
        for (int64_t b = 0; b < BAGS; b++) {
            double times[ROWS] = {0.0};
            for (int64_t i = n - 1; i >= 0; i--)
                if (i >= offset[b] && i < offset[b + 1] && index[i] >= 0)
                    times[index[i]] += calls < 4 ? weight[i] : 1.0;
            for (int d = 0; d < DIM; d++) {
                double want = b < bags ? 0.0 : 1e6;
                for (int r = 0; b < bags && r < ROWS; r++)
                    want += times[r] * table[r][d];
                bad += want != out[b][d];
            }
        }
    }
    printf("embedding_bag: %d calls, %d values wrong\n", calls, bad);
    return bad != 0;
}
