// Cryptography: ChaCha20 stream cipher, exclusive or of a message with the key stream.
// RFC 8439. Sixteen words in a local array that wants to be sixteen values, ten double rounds of add, exclusive or and
// rotate with wide parallelism, and a last block that is cut off.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define ROTL(v, n) ((v) << (n) | (v) >> (32 - (n)))
#define QUARTER(a, b, c, d)                                       \
    do {                                                          \
        x[a] += x[b], x[d] ^= x[a], x[d] = ROTL(x[d], 16);        \
        x[c] += x[d], x[b] ^= x[c], x[b] = ROTL(x[b], 12);        \
        x[a] += x[b], x[d] ^= x[a], x[d] = ROTL(x[d], 8);         \
        x[c] += x[d], x[b] ^= x[c], x[b] = ROTL(x[b], 7);         \
    } while (0)

LOOM_ACCEL void chacha20_xor(uint32_t state[16], const uint8_t *in, uint8_t *out, uint32_t n)
{
    while (n > 0) {
        uint32_t x[16];
        for (int i = 0; i < 16; i++)
            x[i] = state[i];
        for (int round = 0; round < 10; round++) {
            QUARTER(0, 4, 8, 12);
            QUARTER(1, 5, 9, 13);
            QUARTER(2, 6, 10, 14);
            QUARTER(3, 7, 11, 15);
            QUARTER(0, 5, 10, 15);
            QUARTER(1, 6, 11, 12);
            QUARTER(2, 7, 8, 13);
            QUARTER(3, 4, 9, 14);
        }
        const uint32_t bytes = n < 64 ? n : 64;
        for (uint32_t i = 0; i < bytes; i++)
            out[i] = (uint8_t)(in[i] ^ (x[i >> 2] + state[i >> 2]) >> 8 * (i & 3));
        state[12]++;
        in += bytes;
        out += bytes;
        n -= bytes;
    }
}

static void set_up(uint32_t state[16], uint32_t counter, uint32_t n0, uint32_t n1, uint32_t n2)
{
    static const uint32_t head[4] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
    memcpy(state, head, sizeof head);
    for (uint32_t i = 0; i < 8; i++)
        state[4 + i] = 0x03020100u + 0x04040404u * i;
    state[12] = counter;
    state[13] = n0;
    state[14] = n1;
    state[15] = n2;
}

int main(void)
{
    // Section 2.3.2 of the RFC: key 0, 1, ... 31, counter 1.
    static const uint8_t want[64] = {0x10, 0xf1, 0xe7, 0xe4, 0xd1, 0x3b, 0x59, 0x15, 0x50, 0x0f, 0xdd, 0x1f, 0xa3,
                                     0x20, 0x71, 0xc4, 0xc7, 0xd1, 0xf4, 0xc7, 0x33, 0xc0, 0x68, 0x03, 0x04, 0x22,
                                     0xaa, 0x9a, 0xc3, 0xd4, 0x6c, 0x4e, 0xd2, 0x82, 0x64, 0x46, 0x07, 0x9f, 0xaa,
                                     0x09, 0x14, 0xc2, 0xd7, 0x05, 0xd9, 0x8b, 0x02, 0xa2, 0xb5, 0x12, 0x9c, 0xd1,
                                     0xde, 0x16, 0x4e, 0xb9, 0xcb, 0xd0, 0x83, 0xe8, 0xa2, 0x50, 0x3c, 0x4e};
    // Section 2.4.2 encrypts a text under counter 1 and another nonce; the first sixteen bytes of it.
    static const char text[] = "Ladies and Gentl";
    static const uint8_t cipher[16] = {0x6e, 0x2e, 0x35, 0x9a, 0x25, 0x68, 0xf9, 0x80,
                                       0x41, 0xba, 0x07, 0x28, 0xdd, 0x0d, 0x69, 0x81};
    static uint8_t in[1000], out[1000], back[1000];
    static const uint32_t pieces[] = {0, 64, 128, 192, 1, 300};
    uint32_t state[16], at = 0;
    int bad = 0;
    set_up(state, 1, 0x09000000, 0x4a000000, 0);
    chacha20_xor(state, in, out, 64);
    bad += memcmp(out, want, 64) != 0 || state[12] != 2;
    set_up(state, 1, 0, 0x4a000000, 0);
    chacha20_xor(state, (const uint8_t *)text, out, 16);
    bad += memcmp(out, cipher, 16) != 0;
    for (int i = 0; i < 1000; i++)
        in[i] = (uint8_t)(i * 13 + i / 256);
    // At once, and back in pieces that end where blocks end: from the fifth on with a counter that is set anew.
    set_up(state, 7, 1, 2, 3);
    chacha20_xor(state, in, out, 1000);
    bad += state[12] != 7 + 16 || memcmp(in, out, 1000) == 0;
    set_up(state, 7, 1, 2, 3);
    for (int p = 0; p < 4; at += pieces[p++])
        chacha20_xor(state, out + at, back + at, pieces[p]);
    bad += memcmp(in, back, at) != 0;
    for (int p = 4; p < 6; p++) {
        set_up(state, 13, 1, 2, 3);
        chacha20_xor(state, out + at, back, pieces[p]);
        bad += memcmp(in + at, back, pieces[p]) != 0;
    }
    printf("chacha20: 9 messages, %d wrong\n", bad);
    return bad != 0;
}
