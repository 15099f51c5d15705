// Number theory: sieve of Eratosthenes over odd numbers, bits in 64-bit words, then a list of the primes.
// Antiquity. Strides grow from prime to prime, single bits are set by reading and writing words, and the list is made by
// taking the lowest bit away again and again.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

#define LIMIT 10000
#define WORDS (LIMIT / 128 + 1)

static uint64_t composite[WORDS];

static inline uint32_t lowest(uint64_t v)
{
    uint32_t n = 0;
    while (!(v & 255)) {
        v >>= 8;
        n += 8;
    }
    while (!(v & 1)) {
        v >>= 1;
        n++;
    }
    return n;
}

// Primes below the limit; returns their number.
LOOM_ACCEL uint32_t sieve(uint32_t limit, uint16_t *prime)
{
    uint32_t count = 0;
    const uint32_t odd = limit / 2, words = (odd + 63) / 64;
    if (limit <= 2)
        return 0;
    for (uint32_t w = 0; w < words; w++)
        composite[w] = 0;
    composite[0] = 1;
    for (uint32_t i = 3; i * i < limit; i += 2) {
        if (composite[i / 128] >> (i / 2 % 64) & 1)
            continue;
        for (uint32_t k = i * i / 2; k < odd; k += i)
            composite[k / 64] |= UINT64_C(1) << (k % 64);
    }
    prime[count++] = 2;
    for (uint32_t w = 0; w < words; w++) {
        uint64_t left = ~composite[w];
        while (left != 0) {
            const uint32_t k = 64 * w + lowest(left);
            if (k >= odd)
                break;
            prime[count++] = (uint16_t)(2 * k + 1);
            left &= left - 1;
        }
    }
    return count;
}

int main(void)
{
    static const uint32_t limits[] = {4000, 0, 1, 2, 3, 4, 10, 121, 122, 2000};
    static uint16_t prime[LIMIT];
    int bad = 0, calls = 0;
    uint32_t total = 0;
    for (; calls < (int)(sizeof limits / sizeof limits[0]); calls++) {
        const uint32_t count = sieve(limits[calls], prime);
        // Trial division.
        uint32_t at = 0;
        for (uint32_t n = 2; n < limits[calls]; n++) {
            uint32_t d = 2;
            while (d * d <= n && n % d)
                d++;
            if (d * d > n)
                bad += at >= count || prime[at++] != n;
        }
        bad += at != count;
        total += count;
    }
    printf("sieve: %d limits, %u primes, %d wrong\n", calls, (unsigned)total, bad);
    return bad != 0;
}
