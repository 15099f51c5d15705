// Cryptography: modular powers by Montgomery multiplication, 32-bit odd moduli.
// Montgomery 1985; RSA and primality tests. 32 by 32 bit products into 64, shifts and a conditional subtraction on the
// recurrence; the trip count is the length of the exponent.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

static inline uint32_t reduce(uint64_t t, uint32_t modulus, uint32_t inverse)
{
    const uint32_t m = (uint32_t)t * inverse;
    const uint64_t u = t + (uint64_t)m * modulus;
    // The sum has 65 bits: a carry out of it says that the result needs the subtraction.
    uint64_t high = u >> 32 | (uint64_t)(u < t) << 32;
    if (high >= modulus)
        high -= modulus;
    return (uint32_t)high;
}

LOOM_ACCEL void modpow(const uint32_t *base, const uint32_t *exponent, const uint32_t *modulus, uint32_t *result, int n)
{
    for (int k = 0; k < n; k++) {
        const uint32_t m = modulus[k];
        // Newton's iteration for -1 / m modulo 2^32.
        uint32_t inverse = m;
        for (int step = 0; step < 4; step++)
            inverse *= 2 - m * inverse;
        inverse = 0u - inverse;
        uint32_t x = (uint32_t)(((uint64_t)(base[k] % m) << 32) % m);
        uint32_t y = (uint32_t)((UINT64_C(1) << 32) % m);
        for (uint32_t e = exponent[k]; e != 0; e >>= 1) {
            LOOM_TRIP(0, 32);
            if (e & 1)
                y = reduce((uint64_t)y * x, m, inverse);
            x = reduce((uint64_t)x * x, m, inverse);
        }
        result[k] = reduce(y, m, inverse);
    }
}

#define N 90

int main(void)
{
    static uint32_t base[N], exponent[N], modulus[N], result[N];
    static const uint32_t primes[] = {4294967291u, 2147483647u, 65537u, 3u, 1000003u};
    uint32_t state = 33;
    int bad = 0;
    for (int i = 0; i < N; i++) {
        state = state * 1664525u + 1013904223u;
        base[i] = state;
        state = state * 1664525u + 1013904223u;
        exponent[i] = i == 2 ? 0 : i == 3 ? 1 : state >> (i % 32);
        modulus[i] = i == 1 ? 1 : base[i] * 2654435761u | 1;
        if (i == 0)
            base[i] = 0;
        // Fermat's little theorem, with the largest prime of 32 bits among others.
        if (i >= 10 && i < 30) {
            modulus[i] = primes[i % 5];
            exponent[i] = modulus[i] - 1;
        }
    }
    modpow(base, exponent, modulus, result, 0);
    modpow(base, exponent, modulus, result, N);
    for (int i = 0; i < N; i++) {
        // From the exponent's highest bit down, with remainders.
        uint64_t want = 1 % modulus[i];
        for (int bit = 31; bit >= 0; bit--) {
            want = want * want % modulus[i];
            if (exponent[i] >> bit & 1)
                want = want * base[i] % modulus[i];
        }
        bad += result[i] != want;
        if (i >= 10 && i < 30)
            bad += result[i] != (base[i] % modulus[i] != 0);
    }
    printf("modpow: %d powers, %d wrong\n", N, bad);
    return bad != 0;
}
