// Cryptography: AES-128 encryption of blocks by four tables of 256 words.
// FIPS 197; the tables are Daemen and Rijmen's. Sixteen loads at places that the data choose in each round, tables that the
// program fills before, and a last round that differs from the others.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint8_t sbox[256];
static uint32_t table[4][256];

LOOM_ACCEL void aes128_encrypt(const uint32_t key[44], const uint8_t *restrict in, uint8_t *restrict out, int blocks)
{
    for (int n = 0; n < blocks; n++, in += 16, out += 16) {
        LOOM_INDEPENDENT;
        uint32_t s[4], t[4];
        for (int c = 0; c < 4; c++)
            s[c] = key[c] ^ ((uint32_t)in[4 * c] << 24 | (uint32_t)in[4 * c + 1] << 16 | (uint32_t)in[4 * c + 2] << 8 |
                             in[4 * c + 3]);
        for (int round = 1; round < 10; round++) {
            for (int c = 0; c < 4; c++) {
                LOOM_UNROLL(4);
                t[c] = table[0][s[c] >> 24] ^ table[1][s[(c + 1) & 3] >> 16 & 255] ^ table[2][s[(c + 2) & 3] >> 8 & 255] ^
                       table[3][s[(c + 3) & 3] & 255] ^ key[4 * round + c];
            }
            for (int c = 0; c < 4; c++)
                s[c] = t[c];
        }
        for (int c = 0; c < 4; c++) {
            const uint32_t k = key[40 + c];
            out[4 * c] = (uint8_t)(sbox[s[c] >> 24] ^ k >> 24);
            out[4 * c + 1] = (uint8_t)(sbox[s[(c + 1) & 3] >> 16 & 255] ^ k >> 16);
            out[4 * c + 2] = (uint8_t)(sbox[s[(c + 2) & 3] >> 8 & 255] ^ k >> 8);
            out[4 * c + 3] = (uint8_t)(sbox[s[(c + 3) & 3] & 255] ^ k);
        }
    }
}

// Product in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1.
static uint8_t product(uint8_t a, uint8_t b)
{
    uint8_t p = 0;
    for (; b; b >>= 1, a = (uint8_t)(a << 1 ^ (a & 128 ? 0x1b : 0)))
        p ^= b & 1 ? a : 0;
    return p;
}

static void make_tables(void)
{
    for (int i = 0; i < 256; i++) {
        int inverse = 0;
        while (i && product((uint8_t)i, (uint8_t)inverse) != 1)
            inverse++;
        int s = 0x63;
        for (int k = 0; k < 5; k++)
            s ^= (inverse << k | inverse >> (8 - k)) & 255;
        sbox[i] = (uint8_t)s;
    }
    for (int i = 0; i < 256; i++) {
        const uint32_t s = sbox[i], s2 = product(sbox[i], 2), s3 = s ^ s2;
        table[0][i] = s2 << 24 | s << 16 | s << 8 | s3;
        for (int k = 1; k < 4; k++)
            table[k][i] = table[k - 1][i] >> 8 | table[k - 1][i] << 24;
    }
}

static void expand(const uint8_t *key, uint32_t words[44])
{
    uint8_t constant = 1;
    for (int i = 0; i < 44; i++) {
        if (i < 4) {
            words[i] = (uint32_t)key[4 * i] << 24 | (uint32_t)key[4 * i + 1] << 16 | (uint32_t)key[4 * i + 2] << 8 |
                       key[4 * i + 3];
            continue;
        }
        uint32_t t = words[i - 1];
        if (i % 4 == 0) {
            t = (uint32_t)sbox[t >> 16 & 255] << 24 | (uint32_t)sbox[t >> 8 & 255] << 16 |
                (uint32_t)sbox[t & 255] << 8 | sbox[t >> 24];
            t ^= (uint32_t)constant << 24;
            constant = product(constant, 2);
        }
        words[i] = words[i - 4] ^ t;
    }
}

// Decrypts with the steps of the standard, byte by byte.
static void decrypt(const uint32_t key[44], uint8_t block[16])
{
    for (int round = 10; round >= 0; round--) {
        uint8_t t[16];
        for (int i = 0; i < 16; i++)
            block[i] ^= (uint8_t)(key[4 * round + i / 4] >> (24 - i % 4 * 8));
        if (round == 0)
            break;
        if (round < 10) {
            static const uint8_t row[4] = {14, 11, 13, 9};
            for (int i = 0; i < 16; i++) {
                t[i] = 0;
                for (int k = 0; k < 4; k++)
                    t[i] ^= product(block[i / 4 * 4 + (i + k) % 4], row[k]);
            }
            memcpy(block, t, 16);
        }
        for (int i = 0; i < 16; i++) {
            const uint8_t from = block[(i / 4 + 4 - i % 4) % 4 * 4 + i % 4];
            int s = 0;
            while (sbox[s] != from)
                s++;
            t[i] = (uint8_t)s;
        }
        memcpy(block, t, 16);
    }
}

#define BLOCKS 24

int main(void)
{
    static const uint8_t key[16] = {0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6,
                                    0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c};
    static const uint8_t plain[16] = {0x32, 0x43, 0xf6, 0xa8, 0x88, 0x5a, 0x30, 0x8d,
                                      0x31, 0x31, 0x98, 0xa2, 0xe0, 0x37, 0x07, 0x34};
    static const uint8_t want[16] = {0x39, 0x25, 0x84, 0x1d, 0x02, 0xdc, 0x09, 0xfb,
                                     0xdc, 0x11, 0x85, 0x97, 0x19, 0x6a, 0x0b, 0x32};
    static const int sizes[] = {BLOCKS, 0, 7};
    static uint8_t in[16 * BLOCKS], out[16 * BLOCKS + 1];
    uint32_t words[44];
    int bad = 0, calls = 0;
    make_tables();
    expand(key, words);
    aes128_encrypt(words, plain, out, 1);
    bad += memcmp(out, want, 16) != 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int blocks = sizes[calls];
        for (int i = 0; i < 16 * BLOCKS; i++)
            in[i] = (uint8_t)(i * 11 + calls);
        out[16 * blocks] = 55;
        aes128_encrypt(words, in, out, blocks);
        bad += out[16 * blocks] != 55;
        for (int n = 0; n < blocks; n++) {
            bad += memcmp(out + 16 * n, in + 16 * n, 16) == 0;
            decrypt(words, out + 16 * n);
        }
        bad += memcmp(in, out, (size_t)(16 * blocks)) != 0;
    }
    printf("aes128: %d messages, %d wrong\n", calls + 1, bad);
    return bad != 0;
}
