// Fixed point: integer square roots of 64-bit numbers, digit by digit.
// The abacus algorithm (Woo 1985). A shift to find where to begin, then one bit of the result for each step, with a
// comparison that decides whether to subtract.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

LOOM_ACCEL void isqrt(const uint64_t *restrict in, uint32_t *restrict out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        LOOM_INDEPENDENT;
        uint64_t left = in[i], root = 0, bit = UINT64_C(1) << 62;
        while (bit > left)
            bit >>= 2;
        while (bit != 0) {
            LOOM_TRIP(0, 32);
            if (left >= root + bit) {
                left -= root + bit;
                root = (root >> 1) + bit;
            } else {
                root >>= 1;
            }
            bit >>= 2;
        }
        out[i] = (uint32_t)root;
    }
}

#define N 120

int main(void)
{
    static const uint32_t sizes[] = {N, 0, 1, 33};
    static uint64_t in[N];
    static uint32_t out[N + 1];
    uint64_t state = 99;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const uint32_t n = sizes[calls];
        for (uint32_t i = 0; i < N; i++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            in[i] = state >> (state >> 50 & 63);
            // Squares and their neighbours.
            if (i % 4 == 3)
                in[i] = (state >> 32) * (state >> 32) - (i % 8 == 7);
        }
        in[0] = 0;
        in[1] = UINT64_MAX;
        out[n] = 66;
        isqrt(in, out, n);
        bad += out[n] != 66;
        // r^2 <= x <= r^2 + 2 r, which does not overflow.
        for (uint32_t i = 0; i < n; i++) {
            const uint64_t r = out[i];
            bad += r * r > in[i] || in[i] - r * r > 2 * r;
        }
    }
    printf("isqrt: %d lists, %d roots wrong\n", calls, bad);
    return bad != 0;
}
