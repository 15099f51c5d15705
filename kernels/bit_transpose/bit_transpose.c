// Bit tricks: transposes 32 by 32 bit matrices in place by swapping blocks of halves.
// Hacker's Delight, section 7-3; bitslicing. The step halves and the mask folds along with it, a loop whose index jumps by
// a formula, and three exclusive ors for a swap.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

LOOM_ACCEL void bit_transpose(uint32_t (*matrix)[32], int count)
{
    for (int m = 0; m < count; m++) {
        LOOM_INDEPENDENT;
        uint32_t *a = matrix[m];
        uint32_t mask = 0x0000ffffu;
        for (uint32_t j = 16; j != 0; j >>= 1, mask ^= mask << j) {
            for (uint32_t k = 0; k < 32; k = (k + j + 1) & ~j) {
                const uint32_t t = (a[k] >> j ^ a[k + j]) & mask;
                a[k + j] ^= t;
                a[k] ^= t << j;
            }
        }
    }
}

#define COUNT 30

int main(void)
{
    static uint32_t matrix[COUNT][32], before[COUNT][32];
    static const int sizes[] = {COUNT, 0, 1, 8};
    uint32_t state = 80;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        for (int i = 0; i < COUNT * 32; i++) {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            matrix[i / 32][i % 32] = before[i / 32][i % 32] = state;
        }
        bit_transpose(matrix, sizes[calls]);
        for (int m = 0; m < COUNT; m++)
            for (int row = 0; row < 32; row++)
                for (int col = 0; col < 32; col++) {
                    const uint32_t want = m < sizes[calls] ? before[m][col] >> row : before[m][row] >> col;
                    bad += (matrix[m][row] >> col & 1) != (want & 1);
                }
    }
    printf("bit_transpose: %d lists, %d bits wrong\n", calls, bad);
    return bad != 0;
}
