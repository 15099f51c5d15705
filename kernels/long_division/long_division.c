// Fixed point: quotient and remainder of 64-bit fractions by 32-bit numbers, without a division instruction.
// Restoring division, the school's method in binary. 64 iterations of shift, compare and subtract with the answer's bits
// shifted in at the bottom; it returns the first place where a divisor is zero.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

struct pair {
    uint64_t quotient;
    uint32_t remainder;
};

LOOM_ACCEL int long_division(const uint64_t *restrict a, const uint32_t *restrict b, struct pair *restrict out, int n)
{
    for (int i = 0; i < n; i++) {
        const uint32_t divisor = b[i];
        if (divisor == 0)
            return i;
        uint64_t value = a[i], rest = 0;
        for (int bit = 0; bit < 64; bit++) {
            rest = rest << 1 | value >> 63;
            value <<= 1;
            if (rest >= divisor) {
                rest -= divisor;
                value |= 1;
            }
        }
        out[i].quotient = value;
        out[i].remainder = (uint32_t)rest;
    }
    return -1;
}

#define N 60

int main(void)
{
    static uint64_t a[N];
    static uint32_t b[N];
    static struct pair out[N];
    static const int sizes[] = {N, 0, 1, 20};
    uint64_t state = 64;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int n = sizes[calls];
        for (int i = 0; i < N; i++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            a[i] = i == 0 ? UINT64_MAX : i == 1 ? 0 : state >> (i % 5 * 9);
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            b[i] = (uint32_t)(state >> 32) >> i % 32 | (i % 2 ? 0x80000000u >> (i % 31) : 1u);
        }
        if (calls == 3)
            b[11] = 0;
        const int stop = long_division(a, b, out, n);
        bad += stop != (calls == 3 ? 11 : -1);
        for (int i = 0; i < (stop < 0 ? n : stop); i++)
            bad += out[i].remainder >= b[i] || out[i].quotient * b[i] + out[i].remainder != a[i] ||
                   out[i].quotient > UINT64_MAX / b[i];
    }
    printf("long_division: %d lists, %d quotients wrong\n", calls, bad);
    return bad != 0;
}
