// Number theory: product of two large numbers, limbs of 32 bits.
// Knuth's algorithm M. A carry through the inner loop, 64-bit sums of a product and two limbs, and a row that starts with
// zero where the one before ended.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

LOOM_ACCEL void bignum_mul(const uint32_t *restrict a, int na, const uint32_t *restrict b, int nb, uint32_t *restrict out)
{
    for (int j = 0; j < nb; j++)
        out[j] = 0;
    for (int i = 0; i < na; i++) {
        const uint64_t digit = a[i];
        uint64_t carry = 0;
        for (int j = 0; j < nb; j++) {
            carry += digit * b[j] + out[i + j];
            out[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
        out[i + nb] = (uint32_t)carry;
    }
}

// The number modulo a small one.
static uint64_t residue(const uint32_t *v, int n, uint32_t modulus)
{
    uint64_t rest = 0;
    for (int i = n - 1; i >= 0; i--)
        rest = (rest << 32 | v[i]) % modulus;
    return rest;
}

#define MAX 48

int main(void)
{
    static const int sizes[][2] = {{MAX, 40}, {0, 3}, {3, 0}, {1, 1}, {5, 30}, {20, 20}};
    static uint32_t a[MAX], b[MAX], out[2 * MAX + 1];
    uint32_t state = 53;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int na = sizes[calls][0], nb = sizes[calls][1];
        for (int i = 0; i < MAX; i++) {
            state = state * 1664525u + 1013904223u;
            a[i] = calls == 5 ? UINT32_MAX : state;
            state = state * 1664525u + 1013904223u;
            b[i] = calls == 5 ? UINT32_MAX : state;
        }
        for (int i = 0; i <= 2 * MAX; i++)
            out[i] = 0xabcd;
        bignum_mul(a, na, b, nb, out);
        for (int i = na + nb; i <= 2 * MAX; i++)
            bad += out[i] != 0xabcd;
        // Casting out: the same modulo many numbers, of which every two differ.
        for (uint32_t m = 4294967291u; m > 4294967291u - 400u; m -= 2)
            bad += residue(a, na, m) * residue(b, nb, m) % m != residue(out, na + nb, m);
    }
    // (2^640 - 1)^2 = 2^1280 - 2^641 + 1 is known limb by limb.
    for (int i = 0; i < 40; i++)
        bad += out[i] != (i == 0 ? 1u : i < 20 ? 0u : i == 20 ? 0xfffffffeu : 0xffffffffu);
    printf("bignum_mul: %d products, %d wrong\n", calls, bad);
    return bad != 0;
}
