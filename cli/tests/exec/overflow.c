// Products of 64 bits that overflow or not, casts of unsigned words, and bits of narrow ones in reverse.
#include "loom.h"
#include <stdint.h>
#include <stdio.h>

LOOM_ACCEL int of_signed(int64_t a, int64_t b, int64_t *product) { return __builtin_mul_overflow(a, b, product); }

LOOM_ACCEL int of_unsigned(uint64_t a, uint64_t b, uint64_t *product) { return __builtin_mul_overflow(a, b, product); }

LOOM_ACCEL void casts(const double *restrict x, const uint64_t *restrict n, uint64_t *restrict words, double *restrict doubles,
                      float *restrict floats, int count)
{
    for (int i = 0; i < count; i++) {
        words[i] = (uint64_t)x[i];
        doubles[i] = (double)n[i];
        floats[i] = (float)n[i];
    }
}

LOOM_ACCEL uint32_t turned(uint8_t a, uint16_t b) { return __builtin_bitreverse8(a) << 16 | __builtin_bitreverse16(b); }

static uint64_t reverse(uint64_t x, int bits)
{
    uint64_t y = 0;
    for (int i = 0; i < bits; i++)
        y = y << 1 | (x >> i & 1);
    return y;
}

int main(void)
{
    static const uint64_t edges[] = {0, 1, 2, 3, 0x7fffffff, 0xffffffff, 0x100000000, 0x100000001, 0x3fffffffffffffff,
                                     0x5555555555555555, 0x7fffffffffffffff, 0x8000000000000000, 0x8000000000000400,
                                     0x8000000000000401, 0xfffffffffffffbff, 0xfffffffffffffffe, 0xffffffffffffffff};
    enum { COUNT = sizeof edges / sizeof *edges };
    int bad = 0;
    for (int i = 0; i < COUNT; i++)
        for (int j = 0; j < COUNT; j++) {
            int64_t p, q;
            uint64_t u, v;
            bad += of_signed(edges[i], edges[j], &p) != __builtin_mul_overflow((int64_t)edges[i], (int64_t)edges[j], &q) || p != q;
            bad += of_unsigned(edges[i], edges[j], &u) != __builtin_mul_overflow(edges[i], edges[j], &v) || u != v;
        }
    double x[COUNT], doubles[COUNT];
    float floats[COUNT];
    uint64_t words[COUNT];
    for (int i = 0; i < COUNT; i++)
        x[i] = (double)(edges[i] >> 1) * 1.75 + 0.9;
    casts(x, edges, words, doubles, floats, COUNT);
    for (int i = 0; i < COUNT; i++)
        bad += words[i] != (uint64_t)x[i] || doubles[i] != (double)edges[i] || floats[i] != (float)edges[i];
    bad += turned(0x13, 0x8003) != (reverse(0x13, 8) << 16 | reverse(0x8003, 16));
    printf("%d wrong\n", bad);
    return bad;
}
