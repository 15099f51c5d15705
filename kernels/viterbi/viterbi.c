// DSP: hard-decision Viterbi decoder for the convolutional code of constraint length 3, generators 7 and 5 (octal).
// Viterbi 1967. Four path metrics updated together (add, compare, select), decisions kept in memory, then a walk back that
// reads them in reverse from where the best path ends.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

#define STATES 4
#define MAX 256

static uint8_t parity(uint32_t v)
{
    v ^= v >> 2;
    return (uint8_t)((v ^ v >> 1) & 1);
}

// Two received bits a symbol in `in`; writes n bits and returns the errors that the best path has.
LOOM_ACCEL int viterbi(const uint8_t *in, int n, uint8_t *out)
{
    static uint8_t decision[MAX][STATES];
    uint16_t metric[STATES] = {0, 1000, 1000, 1000}, fresh[STATES];
    for (int t = 0; t < n; t++) {
        for (uint32_t to = 0; to < STATES; to++) {
            LOOM_UNROLL(4);
            // A state is the last two bits; the newest one stands on top.
            uint16_t best = UINT16_MAX;
            uint8_t from_best = 0;
            for (uint32_t low = 0; low < 2; low++) {
                const uint32_t from = (to << 1 & 3) | low, reg = (to >> 1) << 2 | from;
                const uint8_t sent = (uint8_t)(parity(reg & 7) << 1 | parity(reg & 5));
                const uint8_t wrong = in[t] ^ sent;
                const uint16_t m = (uint16_t)(metric[from] + (wrong & 1) + (wrong >> 1));
                if (m < best) {
                    best = m;
                    from_best = (uint8_t)from;
                }
            }
            fresh[to] = best;
            decision[t][to] = from_best;
        }
        for (int s = 0; s < STATES; s++)
            metric[s] = fresh[s];
    }
    int state = 0;
    for (int s = 1; s < STATES; s++)
        if (metric[s] < metric[state])
            state = s;
    const int errors = metric[state];
    for (int t = n - 1; t >= 0; t--) {
        out[t] = (uint8_t)(state >> 1);
        state = decision[t][state];
    }
    return errors;
}

int main(void)
{
    static const int sizes[] = {MAX, 0, 1, 40, 101};
    static uint8_t bits[MAX], symbols[MAX], decoded[MAX];
    uint32_t random = 77;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int n = sizes[calls];
        int history[2] = {0, 0}, flipped = 0;
        for (int t = 0; t < n; t++) {
            random = random * 1664525u + 1013904223u;
            bits[t] = t + 2 < n ? (uint8_t)(random >> 31) : 0;
            // The encoder, as two sums modulo 2.
            const int first = (bits[t] + history[0] + history[1]) % 2, second = (bits[t] + history[1]) % 2;
            symbols[t] = (uint8_t)(2 * first + second);
            history[1] = history[0];
            history[0] = bits[t];
            // Single errors far apart are corrected.
            if (t % 16 == 7 && t + 8 < n) {
                symbols[t] ^= (uint8_t)(1 + t / 16 % 2);
                flipped++;
            }
        }
        bad += viterbi(symbols, n, decoded) != flipped;
        for (int t = 0; t < n; t++)
            bad += decoded[t] != bits[t];
    }
    printf("viterbi: %d messages, %d wrong\n", calls, bad);
    return bad != 0;
}
