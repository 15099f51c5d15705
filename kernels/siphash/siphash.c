// Cryptography: SipHash-2-4, a keyed 64-bit hash of short messages.
// Aumasson and Bernstein 2012; the hash of hash tables. 64-bit additions and rotations in one long recurrence, words put
// together from bytes, and a switch that falls through for the last ones.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

static inline uint64_t rotl(uint64_t v, int n)
{
    return v << n | v >> (64 - n);
}

static inline void rounds(uint64_t v[4], int count)
{
    while (count-- > 0) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = rotl(v[1], 13) ^ v[0];
        v[3] = rotl(v[3], 16) ^ v[2];
        v[0] = rotl(v[0], 32);
        v[2] += v[1];
        v[0] += v[3];
        v[1] = rotl(v[1], 17) ^ v[2];
        v[3] = rotl(v[3], 21) ^ v[0];
        v[2] = rotl(v[2], 32);
    }
}

LOOM_ACCEL uint64_t siphash(uint64_t k0, uint64_t k1, const uint8_t *in, uint32_t n)
{
    uint64_t v[4] = {k0 ^ UINT64_C(0x736f6d6570736575), k1 ^ UINT64_C(0x646f72616e646f6d),
                     k0 ^ UINT64_C(0x6c7967656e657261), k1 ^ UINT64_C(0x7465646279746573)};
    uint64_t last = (uint64_t)n << 56;
    const uint8_t *const end = in + (n & ~7u);
    for (; in != end; in += 8) {
        uint64_t m = 0;
        for (int i = 0; i < 8; i++)
            m |= (uint64_t)in[i] << 8 * i;
        v[3] ^= m;
        rounds(v, 2);
        v[0] ^= m;
    }
    switch (n & 7) {
    case 7: last |= (uint64_t)in[6] << 48; /* fall through */
    case 6: last |= (uint64_t)in[5] << 40; /* fall through */
    case 5: last |= (uint64_t)in[4] << 32; /* fall through */
    case 4: last |= (uint64_t)in[3] << 24; /* fall through */
    case 3: last |= (uint64_t)in[2] << 16; /* fall through */
    case 2: last |= (uint64_t)in[1] << 8; /* fall through */
    case 1: last |= in[0]; break;
    case 0: break;
    }
    v[3] ^= last;
    rounds(v, 2);
    v[0] ^= last;
    v[2] ^= 0xff;
    rounds(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

int main(void)
{
    // The authors' vectors: key 0, 1, ... 15, message 0, 1, ... of each length.
    static const struct {
        uint32_t length;
        uint64_t hash;
    } known[] = {{0, UINT64_C(0x726fdb47dd0e0e31)},
                 {1, UINT64_C(0x74f839c593dc67fd)},
                 {2, UINT64_C(0x0d6c8009d9a94f5a)},
                 {3, UINT64_C(0x85676696d7fb7e2d)},
                 {7, UINT64_C(0xab0200f58b01d137)},
                 {8, UINT64_C(0x93f5f5799a932462)},
                 {15, UINT64_C(0xa129ca6149be45e5)},
                 {16, UINT64_C(0x3f2acc7f57c29bdb)},
                 {63, UINT64_C(0x958a324ceb064572)}};
    const uint64_t k0 = UINT64_C(0x0706050403020100), k1 = UINT64_C(0x0f0e0d0c0b0a0908);
    static uint8_t message[512];
    int bad = 0, calls = 0;
    for (int i = 0; i < 512; i++)
        message[i] = (uint8_t)i;
    for (; calls < (int)(sizeof known / sizeof known[0]); calls++)
        bad += siphash(k0, k1, message, known[calls].length) != known[calls].hash;
    // Any byte changed at any length moves about half of the bits.
    int moved = 0;
    for (uint32_t n = 480; n < 488; n++, calls += 2) {
        const uint64_t before = siphash(k0, k1, message, n);
        message[n - 1 - n % 3] ^= 16;
        for (uint64_t change = before ^ siphash(k0, k1, message, n); change; change &= change - 1)
            moved++;
    }
    bad += moved < 180 || moved > 332;
    printf("siphash: %d hashes, %d wrong\n", calls, bad);
    return bad != 0;
}
