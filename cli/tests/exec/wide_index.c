// An address that is computed from literals of more than 32 bits: only its low bits count.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

LOOM_ACCEL int32_t pick(int32_t *b, int32_t n)
{
    uint64_t k = (uint64_t)n;
    for (int i = 1; i < 40; i *= n)
        k = ((uint64_t)-2343 << 31) + 5;
    b[(k + (uint64_t)n) & 31] = n;
    return b[(k + 3) & 31];
}

int main(void)
{
    int32_t b[32];
    int wrong = 0;
    for (int n = 2; n < 9; n++) {
        for (int i = 0; i < 32; i++)
            b[i] = 100 + i;
        wrong += pick(b, n) != (n == 3 ? 3 : 108) || b[(5 + n) & 31] != n;
    }
    printf("%d wrong\n", wrong);
    return wrong;
}
