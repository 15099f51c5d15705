// Cryptography: Poly1305 one-time authenticator.
// RFC 8439. Arithmetic modulo 2^130 - 5 in five limbs of 26 bits: 25 products of 32 bits into 64 for each block, carries
// that run through all of them, and a comparison without a branch at the end.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define LIMB 0x3ffffffu

static inline uint32_t word(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

LOOM_ACCEL void poly1305(const uint8_t key[32], const uint8_t *message, uint32_t n, uint32_t tag[4])
{
    const uint32_t r[5] = {word(key) & LIMB, word(key + 3) >> 2 & 0x3ffff03, word(key + 6) >> 4 & 0x3ffc0ff,
                           word(key + 9) >> 6 & 0x3f03fff, word(key + 12) >> 8 & 0x00fffff};
    uint32_t h[5] = {0};
    while (n > 0) {
        uint8_t block[17] = {0};
        const uint32_t bytes = n < 16 ? n : 16;
        for (uint32_t i = 0; i < bytes; i++)
            block[i] = message[i];
        block[bytes] = 1;
        h[0] += word(block) & LIMB;
        h[1] += word(block + 3) >> 2 & LIMB;
        h[2] += word(block + 6) >> 4 & LIMB;
        h[3] += word(block + 9) >> 6;
        h[4] += word(block + 12) >> 8 | (uint32_t)block[16] << 24;
        uint64_t d[5], carry = 0;
        for (int i = 0; i < 5; i++) {
            d[i] = 0;
            for (int j = 0; j < 5; j++) {
                const uint64_t factor = i >= j ? r[i - j] : 5 * r[5 + i - j];
                d[i] += h[j] * factor;
            }
        }
        for (int i = 0; i < 5; i++) {
            d[i] += carry;
            carry = d[i] >> 26;
            h[i] = (uint32_t)d[i] & LIMB;
        }
        h[0] += (uint32_t)carry * 5;
        h[1] += h[0] >> 26;
        h[0] &= LIMB;
        message += bytes;
        n -= bytes;
    }
    // Twice, so that no limb is too large; then h - p is taken when it is not negative.
    for (int twice = 0; twice < 2; twice++) {
        uint32_t carry = 0;
        for (int i = 0; i < 5; i++) {
            h[i] += carry;
            carry = h[i] >> 26;
            h[i] &= LIMB;
        }
        h[0] += carry * 5;
    }
    uint32_t g[5], carry = 5;
    for (int i = 0; i < 5; i++) {
        g[i] = h[i] + carry;
        carry = g[i] >> 26;
        g[i] &= LIMB;
    }
    for (int i = 0; i < 5; i++)
        h[i] = carry ? g[i] : h[i];
    const uint32_t packed[4] = {h[0] | h[1] << 26, h[1] >> 6 | h[2] << 20, h[2] >> 12 | h[3] << 14, h[3] >> 18 | h[4] << 8};
    uint64_t sum = 0;
    for (int i = 0; i < 4; i++) {
        sum += (uint64_t)packed[i] + word(key + 16 + 4 * i);
        tag[i] = (uint32_t)sum;
        sum >>= 32;
    }
}

// The definition with numbers of 40 bytes: multiply, then subtract shifted copies of the modulus.
static void simple(const uint8_t key[32], const uint8_t *message, uint32_t n, uint8_t tag[16])
{
    uint8_t h[40] = {0};
    for (uint32_t at = 0; at < n; at += 16) {
        int product[40] = {0}, carry = 0;
        for (uint32_t i = 0; i < 17; i++) {
            const uint32_t left = n - at < 16 ? n - at : 16;
            carry += h[i] + (i < left ? message[at + i] : i == left);
            h[i] = (uint8_t)carry;
            carry >>= 8;
        }
        for (int i = 0; i < 17; i++)
            for (int j = 0; j < 16; j++)
                product[i + j] += h[i] * (key[j] & (j % 4 == 3 ? 15 : j % 4 == 0 && j > 0 ? 252 : 255));
        for (int i = 0; i < 39; i++) {
            product[i + 1] += product[i] >> 8;
            product[i] &= 255;
        }
        for (int shift = 8 * 39 - 130; shift >= 0; shift--) {
            // p << shift, bit by bit; p is all ones from bit 0 to 129 but for bit 2.
            int less[40], borrow = 0;
            for (int i = 0; i < 40; i++) {
                int byte = 0;
                for (int b = 0; b < 8; b++) {
                    const int bit = 8 * i + b - shift;
                    byte |= (bit >= 0 && bit < 130 && bit != 2) << b;
                }
                const int d = product[i] - byte - borrow;
                borrow = d < 0;
                less[i] = d & 255;
            }
            if (!borrow)
                memcpy(product, less, sizeof product);
        }
        for (int i = 0; i < 40; i++)
            h[i] = (uint8_t)product[i];
    }
    for (int i = 0, carry = 0; i < 16; i++, carry >>= 8)
        tag[i] = (uint8_t)(carry += h[i] + key[16 + i]);
}

int main(void)
{
    static const uint8_t rfc_key[32] = {0x85, 0xd6, 0xbe, 0x78, 0x57, 0x55, 0x6d, 0x33, 0x7f, 0x44, 0x52,
                                        0xfe, 0x42, 0xd5, 0x06, 0xa8, 0x01, 0x03, 0x80, 0x8a, 0xfb, 0x0d,
                                        0xb2, 0xfd, 0x4a, 0xbf, 0xf6, 0xaf, 0x41, 0x49, 0xf5, 0x1b};
    static const uint32_t rfc_tag[4] = {0xc11d06a8, 0xc6365130, 0xaf8b2bc2, 0xa927010c}, sizes[] = {600, 0, 1, 16, 17, 47};
    uint8_t key[32], message[600], want[16];
    uint32_t tag[4];
    int bad = 0, calls = 0;
    poly1305(rfc_key, (const uint8_t *)"Cryptographic Forum Research Group", 34, tag);
    bad += memcmp(tag, rfc_tag, sizeof tag) != 0;
    for (; calls < 6; calls++) {
        for (int i = 0; i < 32; i++)
            key[i] = (uint8_t)(calls == 3 ? 255 : i * 37 + calls * 5);
        for (int i = 0; i < 600; i++)
            message[i] = (uint8_t)(calls == 3 ? 255 : i * i + i / 5);
        poly1305(key, message, sizes[calls], tag);
        simple(key, message, sizes[calls], want);
        for (int i = 0; i < 16; i++)
            bad += want[i] != (uint8_t)(tag[i / 4] >> i % 4 * 8);
    }
    printf("poly1305: %d messages, %d wrong\n", calls + 1, bad);
    return bad != 0;
}
