// Cryptography: SHA-256 of whole blocks, the compression function over a message that is padded already.
// FIPS 180-4. Eight variables rotate through 64 rounds: a recurrence with long integer paths, a schedule in a local array
// that is built from its own earlier entries, bytes in big-endian order.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const uint32_t k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
    0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
    0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
    0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static inline uint32_t rotr(uint32_t v, int n)
{
    return v >> n | v << (32 - n);
}

LOOM_ACCEL void sha256_blocks(uint32_t state[8], const uint8_t *data, uint32_t blocks)
{
    uint32_t w[64];
    while (blocks-- > 0) {
        for (int i = 0; i < 16; i++, data += 4)
            w[i] = (uint32_t)data[0] << 24 | (uint32_t)data[1] << 16 | (uint32_t)data[2] << 8 | data[3];
        for (int i = 16; i < 64; i++) {
            const uint32_t s0 = rotr(w[i - 15], 7) ^ rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
            const uint32_t s1 = rotr(w[i - 2], 17) ^ rotr(w[i - 2], 19) ^ w[i - 2] >> 10;
            w[i] = w[i - 16] + s0 + w[i - 7] + s1;
        }
        uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
        uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
        for (int i = 0; i < 64; i++) {
            const uint32_t t1 = h + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((e & f) ^ (~e & g)) + k[i] + w[i];
            const uint32_t t2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
            h = g;
            g = f;
            f = e;
            e = d + t1;
            d = c;
            c = b;
            b = a;
            a = t1 + t2;
        }
        state[0] += a;
        state[1] += b;
        state[2] += c;
        state[3] += d;
        state[4] += e;
        state[5] += f;
        state[6] += g;
        state[7] += h;
    }
}

// Pads and hashes; whole blocks of the message go first in a call of their own.
static void digest(const uint8_t *message, uint32_t n, char hex[65])
{
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint8_t tail[128] = {0};
    const uint32_t rest = n % 64, blocks = rest < 56 ? 1 : 2;
    sha256_blocks(state, message, n / 64);
    memcpy(tail, message + n - rest, rest);
    tail[rest] = 0x80;
    for (uint32_t i = 0; i < 4; i++)
        tail[64 * blocks - 1 - i] = (uint8_t)(n * 8 >> 8 * i);
    sha256_blocks(state, tail, blocks);
    for (int i = 0; i < 8; i++)
        sprintf(hex + 8 * i, "%08lx", (unsigned long)state[i]);
}

int main(void)
{
    static const struct {
        uint32_t length;
        const char *hex;
    } known[] = {
        // Messages of the bytes 7 i + 3.
        {0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {1, "084fed08b978af4d7d196a7446a86b58009e636b611db16211b65a9aadff29c5"},
        {55, "e7313d333c272e639f790978283f9eb392e843d0f29b7016828bb1daa4aac70b"},
        {56, "4324d65f3c103567f5589c710bc08f8523f929a9272e3af36fc968e52abc6c27"},
        {64, "39e3d7b6b5d075d37d053ad89b24b41bef4f3c29760c84447cab3f3be1882241"},
        {200, "2c7e18c942ef065b526a2d4e5546283749cd3ddfb51d8fc71f42717363685f46"},
        {1600, "5ccaa265be44293339bc200efaa709839788ecafe1b70eafa128cadd5ba265e0"},
    };
    uint8_t message[1600];
    char hex[65];
    int bad = 0, calls = 0;
    for (int i = 0; i < 1600; i++)
        message[i] = (uint8_t)(i * 7 + 3);
    for (; calls < (int)(sizeof known / sizeof known[0]); calls++) {
        digest(message, known[calls].length, hex);
        bad += strcmp(hex, known[calls].hex) != 0;
    }
    digest((const uint8_t *)"abc", 3, hex);
    bad += strcmp(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad") != 0;
    printf("sha256: %d digests, %d wrong\n", calls + 1, bad);
    return bad != 0;
}
