// Compression: decodes canonical Huffman codes bit by bit from counts of lengths.
// Huffman 1952, in the form of zlib's puff. Three running numbers are compared for each bit, the loop ends when they say
// that a symbol is complete, and a table turns its number into the symbol.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

#define LENGTHS 16

struct huffman {
    uint16_t count[LENGTHS];
    uint16_t symbol[64];
};

// Returns the bits read, or -1 for a code that does not exist or data that end too early.
LOOM_ACCEL int huffman_decode(const struct huffman *h, const uint8_t *in, int bits, uint8_t *out, int n)
{
    int at = 0;
    for (int i = 0; i < n; i++) {
        int code = 0, first = 0, index = 0, length = 1;
        for (;;) {
            if (length == LENGTHS || at == bits)
                return -1;
            code |= in[at >> 3] >> (at & 7) & 1;
            at++;
            const int count = h->count[length];
            if (code - count < first)
                break;
            index += count;
            first = (first + count) << 1;
            code <<= 1;
            length++;
        }
        out[i] = (uint8_t)h->symbol[index + (code - first)];
    }
    return at;
}

#define N 900

int main(void)
{
    // Lengths of 20 symbols that fill the code space: 1/2 + 1/8 + 1/8 + 1/16 + ... = 1.
    static const uint8_t length[20] = {1, 3, 3, 4, 5, 5, 6, 7, 7, 8, 9, 9, 10, 10, 11, 12, 13, 14, 15, 15};
    static uint8_t text[N], stream[N * 2], out[N];
    static const int sizes[] = {N, 0, 1, 300};
    struct huffman h = {{0}, {0}};
    uint32_t code[20], next = 0, state = 95, space = 0;
    int bad = 0, calls = 0, order = 0;
    for (int l = 1; l < LENGTHS; l++, next <<= 1)
        for (int s = 0; s < 20; s++)
            if (length[s] == l) {
                h.count[l]++;
                h.symbol[order++] = (uint16_t)(s + 'A');
                code[s] = next++;
                space += 1u << (15 - l);
            }
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int n = sizes[calls];
        int bits = 0;
        for (int i = 0; i < N * 2; i++)
            stream[i] = 0;
        for (int i = 0; i < n; i++) {
            state = state * 1664525u + 1013904223u;
            int s = 0;
            // Mostly the short ones.
            while (s < 19 && state >> (10 + s) & 1)
                s++;
            text[i] = (uint8_t)(s + 'A');
            for (int b = length[s] - 1; b >= 0; b--, bits++)
                stream[bits / 8] |= (uint8_t)((code[s] >> b & 1) << bits % 8);
        }
        bad += huffman_decode(&h, stream, bits, out, n) != bits;
        for (int i = 0; i < n; i++)
            bad += out[i] != text[i];
        bad += huffman_decode(&h, stream, bits, out, n + 1) != -1;
    }
    // Not all of the space is used by fewer symbols: all ones are no code then.
    h.count[15] = 0;
    static const uint8_t ones[4] = {255, 255, 255, 255};
    bad += huffman_decode(&h, ones, 32, out, 1) != -1;
    printf("huffman_decode: %d texts, code space %.4f, %d wrong\n", calls + 1, space / 32768.0, bad);
    return bad != 0;
}
