// Small local arrays that loops go through and other code names word by word: registers that turn, over several calls, and with
// loops that leave them turned.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

#define ROTL(v, n) ((v) << (n) | (v) >> (32 - (n)))

// Rounds of a cipher on eight words, filled and written out by loops, one of them from the end.
LOOM_ACCEL void scramble(const uint32_t *restrict in, uint32_t *restrict out, int32_t rounds)
{
    uint32_t x[8];
    for (int i = 0; i < 8; i++)
        x[i] = in[i];
    for (int32_t r = 0; r < rounds; r++) {
        x[4] ^= ROTL(x[0] + x[2], 7);
        x[0] ^= ROTL(x[4] + x[6], 9);
        x[1] ^= ROTL(x[5] + x[3], 13);
        x[5] ^= ROTL(x[1] + x[7], 18);
        x[2] += x[5], x[3] += x[4], x[6] += x[1], x[7] += x[0];
    }
    for (int i = 0; i < 8; i++)
        out[7 - i] = x[i] + in[i];
}

// Counts in a ring of four, which each call leaves elsewhere, then the ring by name.
LOOM_ACCEL uint32_t around(const uint8_t *restrict in, int32_t n)
{
    uint32_t sum = 0;
    for (int32_t k = 0; k < n; k++) {
        uint32_t w[4] = {1, 2, 3, 4};
        for (uint32_t t = 0; t < 7; t++) {
            if (in[k] >> t & 1)
                w[t & 3] += w[t + 3 & 3] ^ t;
        }
        for (uint32_t j = 0; j < 2; j++)
            w[2 * j + 1] *= 3;
        sum = sum * 5 + (w[0] ^ w[1] << 8 ^ w[2] << 16 ^ w[3] << 24);
    }
    return sum;
}

// The same, as the compiler of this machine has it.
static uint32_t around_again(const volatile uint8_t *in, int32_t n)
{
    uint32_t sum = 0;
    for (int32_t k = 0; k < n; k++) {
        volatile uint32_t w[4] = {1, 2, 3, 4};
        for (volatile uint32_t t = 0; t < 7; t++) {
            if (in[k] >> t & 1)
                w[t % 4] = w[t % 4] + (w[(t + 3) % 4] ^ t);
        }
        w[1] = w[1] * 3, w[3] = w[3] * 3;
        sum = sum * 5 + (w[0] ^ w[1] << 8 ^ w[2] << 16 ^ w[3] << 24);
    }
    return sum;
}

static void scramble_again(const uint32_t *in, uint32_t *out, int32_t rounds)
{
    volatile uint32_t x[8];
    for (int i = 0; i < 8; i++)
        x[i] = in[i];
    while (rounds-- > 0) {
        static const uint8_t of[4][4] = {{4, 0, 2, 7}, {0, 4, 6, 9}, {1, 5, 3, 13}, {5, 1, 7, 18}};
        for (int q = 0; q < 4; q++) {
            uint32_t a = x[of[q][1]] + x[of[q][2]];
            x[of[q][0]] = x[of[q][0]] ^ ROTL(a, of[q][3]);
        }
        x[2] = x[2] + x[5], x[3] = x[3] + x[4], x[6] = x[6] + x[1], x[7] = x[7] + x[0];
    }
    for (int i = 0; i < 8; i++)
        out[7 - i] = x[i] + in[i];
}

int main(void)
{
    uint32_t in[8], out[8], expected[8];
    uint8_t bytes[40];
    int wrong = 0;
    for (int i = 0; i < 8; i++)
        in[i] = 0x9e3779b9u * (uint32_t)(i + 1);
    for (int i = 0; i < 40; i++)
        bytes[i] = (uint8_t)(i * i * 37 + 11);
    for (int32_t rounds = 0; rounds < 40; rounds = rounds * 3 + 1) {
        scramble(in, out, rounds);
        scramble_again(in, expected, rounds);
        for (int i = 0; i < 8; i++)
            wrong += out[i] != expected[i];
        in[rounds % 8] ^= out[3];
    }
    for (int32_t n = 0; n <= 40; n += 20)
        wrong += around(bytes, n) != around_again(bytes, n);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
