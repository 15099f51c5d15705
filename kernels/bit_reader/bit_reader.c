// Compression: unpacks a stream of Exp-Golomb codes, signed and unsigned mixed.
// Video streams (H.264, section 9.1). A 64-bit window that is filled by bytes when it runs low, counts of leading zeros
// found by a loop, and shifts by distances that data give.
#include "loom.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// Even places hold unsigned values, odd ones signed values. Returns the bits read, or -1 when there are too few.
LOOM_ACCEL int32_t bit_reader(const uint8_t *in, int32_t bytes, int32_t *out, int32_t values)
{
    uint64_t window = 0;
    int32_t have = 0, at = 0;
    for (int32_t i = 0; i < values; i++) {
        while (have <= 56 && at < bytes) {
            window |= (uint64_t)in[at++] << (56 - have);
            have += 8;
        }
        int32_t zeros = 0;
        while (zeros < 25 && !(window << zeros >> 63))
            zeros++;
        const int32_t length = 2 * zeros + 1;
        if (length > have || zeros == 25)
            return -1;
        const uint32_t code = (uint32_t)(window >> (64 - length)) - 1;
        window <<= length;
        have -= length;
        const bool is_signed = i & 1;
        if (!is_signed)
            out[i] = (int32_t)code;
        else
            out[i] = code & 1 ? (int32_t)(code / 2 + 1) : -(int32_t)(code / 2);
    }
    return at * 8 - have;
}

#define N 300

int main(void)
{
    static uint8_t stream[N * 6];
    static int32_t want[N], out[N];
    uint32_t state = 100;
    int32_t bits = 0;
    int bad = 0;
    for (int i = 0; i < N; i++) {
        state = state * 1664525u + 1013904223u;
        const uint32_t size = state >> 28 & 15;
        want[i] = (int32_t)(state >> 8 & ((1u << size) - 1));
        if (i % 2 && state & 0x80)
            want[i] = -want[i];
        // The code number plus one in binary, after as many zeros as it has further digits.
        const uint32_t code = (i % 2 == 0 ? (uint32_t)want[i] : want[i] > 0 ? 2u * (uint32_t)want[i] - 1 : 2u * (uint32_t)-want[i]) + 1;
        int digits = 0;
        while (code >> digits)
            digits++;
        bits += digits - 1;
        for (int d = digits - 1; d >= 0; d--, bits++)
            stream[bits / 8] |= (uint8_t)((code >> d & 1) << (7 - bits % 8));
    }
    const int32_t bytes = (bits + 7) / 8;
    bad += bit_reader(stream, bytes, out, N) != bits;
    for (int i = 0; i < N; i++)
        bad += out[i] != want[i];
    bad += bit_reader(stream, bytes, out, 0) != 0;
    bad += bit_reader(stream, bytes - 1, out, N) != -1;
    bad += bit_reader(stream, 0, out, 1) != -1;
    static const uint8_t known[3] = {0xa6, 0x42, 0x98};
    // 1 010 011 00100 00101 0011 ...: 0, then code 1 as 1, 2, code 3 as 2, 4.
    bad += bit_reader(known, 3, out, 5) != 17;
    bad += out[0] != 0 || out[1] != 1 || out[2] != 2 || out[3] != 2 || out[4] != 4;
    printf("bit_reader: %ld bits, %d wrong\n", (long)bits, bad);
    return bad != 0;
}
