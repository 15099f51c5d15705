// Compression: unpacks a block in the manner of LZ4, literals and matches that may overlap themselves.
// Ziv and Lempel 1977, Collet 2011. Copies whose distance can be smaller than their length, so that they read what they
// have just written; lengths are extended by bytes, and both pointers advance by data.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

// Returns the length of what was written, or -1 for a block that is broken.
LOOM_ACCEL int lz_decode(const uint8_t *in, int n, uint8_t *out, int capacity)
{
    const uint8_t *const end = in + n;
    int made = 0;
    while (in < end) {
        const uint8_t token = *in++;
        int literals = token >> 4, match = token & 15;
        if (literals == 15) {
            uint8_t more;
            do {
                if (in == end)
                    return -1;
                more = *in++;
                literals += more;
            } while (more == 255);
        }
        if (literals > end - in || literals > capacity - made)
            return -1;
        memcpy(out + made, in, (size_t)literals);
        in += literals;
        made += literals;
        if (in == end)
            break;
        if (end - in < 2)
            return -1;
        const int distance = in[0] | in[1] << 8;
        in += 2;
        if (distance == 0 || distance > made)
            return -1;
        if (match == 15) {
            uint8_t more;
            do {
                if (in == end)
                    return -1;
                more = *in++;
                match += more;
            } while (more == 255);
        }
        match += 4;
        if (match > capacity - made)
            return -1;
        for (; match > 0; match--, made++)
            out[made] = out[made - distance];
    }
    return made;
}

static uint8_t *put_length(uint8_t *to, int rest)
{
    for (; rest >= 255; rest -= 255)
        *to++ = 255;
    *to++ = (uint8_t)rest;
    return to;
}

// The longest match anywhere before, by trying all of them.
static int encode(const uint8_t *in, int n, uint8_t *out)
{
    uint8_t *to = out;
    int anchor = 0, i = 0;
    while (i <= n) {
        int best = 0, from = 0;
        for (int k = 0; k < i && i < n; k++) {
            int length = 0;
            while (i + length < n && in[k + length] == in[i + length])
                length++;
            if (length > best) {
                best = length;
                from = k;
            }
        }
        if (best < 4 && i < n) {
            i++;
            continue;
        }
        const int literals = i - anchor, match = best - 4;
        *to++ = (uint8_t)((literals < 15 ? literals : 15) << 4 | (i == n ? 0 : match < 15 ? match : 15));
        if (literals >= 15)
            to = put_length(to, literals - 15);
        memcpy(to, in + anchor, (size_t)literals);
        to += literals;
        if (i == n)
            break;
        *to++ = (uint8_t)(i - from);
        *to++ = (uint8_t)((i - from) >> 8);
        if (match >= 15)
            to = put_length(to, match - 15);
        i += best;
        anchor = i;
    }
    return (int)(to - out);
}

#define N 1500

int main(void)
{
    static const int sizes[] = {N, 0, 1, 14, 600, 900};
    static uint8_t text[N], packed[2 * N], out[N + 1];
    uint32_t state = 58;
    int bad = 0, calls = 0, total = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int n = sizes[calls];
        for (int i = 0; i < n; i++) {
            state = state * 1664525u + 1013904223u;
            // Words that come again, then one letter only, then noise.
            text[i] = calls == 4 ? 'z' : calls == 5 ? (uint8_t)(state >> 24) : (uint8_t)("the cat and the dog"[(i + i / 50 * 7) % 19]);
        }
        const int length = encode(text, n, packed);
        out[n] = 3;
        bad += lz_decode(packed, length, out, n) != n || memcmp(text, out, (size_t)n) != 0 || out[n] != 3;
        bad += n > 0 && lz_decode(packed, length, out, n - 1) != -1;
        total += length;
    }
    // Broken: a distance before the beginning, a distance of zero, and ends in the middle of something.
    static const uint8_t broken[][4] = {{0x10, 'a', 2, 0}, {0x10, 'a', 0, 0}, {0x10, 'a', 1, 0}, {0xf0, 255, 255, 255}};
    static const int lengths[] = {4, 4, 3, 4};
    for (int k = 0; k < 4; k++, calls++)
        bad += lz_decode(broken[k], lengths[k], out, N) != -1;
    printf("lz_decode: %d blocks, %d bytes packed, %d wrong\n", calls, total, bad);
    return bad != 0;
}
