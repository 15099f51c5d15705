// Cryptography: XTEA in cipher block chaining mode, decryption of a message.
// Needham and Wheeler 1997. 32 rounds whose key word is chosen by bits of the round's own sum; chaining reads the input of
// the block before, so decryption can run blocks at once and encryption cannot.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define DELTA 0x9e3779b9u

LOOM_ACCEL void xtea_cbc_decrypt(const uint32_t key[4], const uint32_t iv[2], const uint32_t *restrict in,
                                 uint32_t *restrict out, int blocks)
{
    for (int n = 0; n < blocks; n++) {
        LOOM_INDEPENDENT;
        const uint32_t *before = n == 0 ? iv : in + 2 * n - 2;
        uint32_t v0 = in[2 * n], v1 = in[2 * n + 1], sum = DELTA * 32u;
        for (int round = 0; round < 32; round++) {
            v1 -= ((v0 << 4 ^ v0 >> 5) + v0) ^ (sum + key[sum >> 11 & 3]);
            sum -= DELTA;
            v0 -= ((v1 << 4 ^ v1 >> 5) + v1) ^ (sum + key[sum & 3]);
        }
        out[2 * n] = v0 ^ before[0];
        out[2 * n + 1] = v1 ^ before[1];
    }
}

static void encrypt(const uint32_t key[4], uint32_t v[2])
{
    for (uint32_t round = 0; round < 32; round++) {
        v[0] += ((v[1] << 4 ^ v[1] >> 5) + v[1]) ^ (DELTA * round + key[DELTA * round & 3]);
        v[1] += ((v[0] << 4 ^ v[0] >> 5) + v[0]) ^ (DELTA * (round + 1) + key[DELTA * (round + 1) >> 11 & 3]);
    }
}

#define BLOCKS 64

int main(void)
{
    static const uint32_t key[4] = {0x00010203, 0x04050607, 0x08090a0b, 0x0c0d0e0f}, none[2] = {0, 0};
    static const uint32_t known[2] = {0x497df3d0, 0x72612cb5};
    static const int sizes[] = {BLOCKS, 0, 1, 31};
    static uint32_t plain[2 * BLOCKS], cipher[2 * BLOCKS], out[2 * BLOCKS + 1];
    int bad = 0, calls = 0;
    // A published vector: ABCDEFGH under the key 0, 1, ... 15.
    xtea_cbc_decrypt(key, none, known, out, 1);
    bad += out[0] != 0x41424344 || out[1] != 0x45464748;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const uint32_t iv[2] = {0xdeadbeef, (uint32_t)calls};
        uint32_t chain[2] = {iv[0], iv[1]};
        for (int i = 0; i < 2 * BLOCKS; i++)
            plain[i] = (uint32_t)(i * i) * 2654435761u;
        for (int n = 0; n < BLOCKS; n++) {
            chain[0] ^= plain[2 * n];
            chain[1] ^= plain[2 * n + 1];
            encrypt(key, chain);
            memcpy(cipher + 2 * n, chain, sizeof chain);
        }
        out[2 * sizes[calls]] = 1;
        xtea_cbc_decrypt(key, iv, cipher, out, sizes[calls]);
        bad += memcmp(out, plain, (size_t)sizes[calls] * 8) != 0 || out[2 * sizes[calls]] != 1;
    }
    printf("xtea: %d messages, %d wrong\n", calls + 1, bad);
    return bad != 0;
}
