// Strings: first place of a pattern of bytes by Boyer, Moore and Horspool.
// Horspool 1980. A table of 256 shifts is filled first; then comparisons run backwards and steps forward are as long as the
// table says, so that most of the text is never read.
#include "loom.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// The length of the text when there is none.
LOOM_ACCEL size_t horspool(const uint8_t *text, size_t n, const uint8_t *pattern, size_t m)
{
    size_t shift[256];
    if (m == 0)
        return 0;
    for (size_t c = 0; c < 256; c++)
        shift[c] = m;
    for (size_t i = 0; i + 1 < m; i++)
        shift[pattern[i]] = m - 1 - i;
    size_t at = 0;
    while (at + m <= n) {
        size_t k = m;
        while (text[at + k - 1] == pattern[k - 1])
            if (--k == 0)
                return at;
        at += shift[text[at + m - 1]];
    }
    return n;
}

#define N 1500

int main(void)
{
    static uint8_t text[N], pattern[64];
    static const size_t sizes[][2] = {{N, 5}, {N, 20}, {0, 3}, {5, 0}, {1, 1}, {N, 64}, {10, 11}, {N, 2}};
    uint32_t state = 40;
    int bad = 0, calls = 0, hits = 0;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int plant = 0; plant < 2; plant++, calls++) {
            const size_t n = sizes[s][0], m = sizes[s][1];
            for (size_t i = 0; i < N; i++) {
                state = state * 1664525u + 1013904223u;
                text[i] = (uint8_t)(250 + (state >> 16) % 6);
            }
            for (size_t i = 0; i < m && i < 64; i++) {
                state = state * 1664525u + 1013904223u;
                pattern[i] = (uint8_t)(250 + (state >> 16) % 6);
                if (plant && m <= n)
                    text[n - m - (n - m) / 5 + i] = pattern[i];
            }
            const size_t found = horspool(text, n, pattern, m);
            size_t first = n;
            for (size_t i = n + 1; i-- > 0;) {
                size_t same = 0;
                while (same < m && i + same < n && text[i + same] == pattern[same])
                    same++;
                if (same == m && i + m <= n)
                    first = i;
            }
            bad += found != first;
            hits += found < n;
        }
    printf("horspool: %d searches, %d hits, %d wrong\n", calls, hits, bad);
    return bad != 0 || hits < 6;
}
