// Checksums: MurmurHash3, 32 bits, of many keys in one buffer.
// Appleby 2011; bloom filters and hash joins. Each key has a start and a length from an array, so activations are short and
// uneven; unaligned words are copied by memcpy, as careful programs do it.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static inline uint32_t mix(uint32_t word)
{
    word *= 0xcc9e2d51u;
    word = word << 15 | word >> 17;
    return word * 0x1b873593u;
}

LOOM_ACCEL void murmur3(const char *bytes, const uint32_t *offsets, uint32_t count, uint32_t seed, uint32_t *hashes)
{
    for (uint32_t k = 0; k < count; k++) {
        LOOM_INDEPENDENT;
        const char *key = bytes + offsets[k];
        const uint32_t n = offsets[k + 1] - offsets[k];
        uint32_t h = seed, i = 0;
        for (; i + 4 <= n; i += 4) {
            uint32_t word;
            memcpy(&word, key + i, sizeof word);
            h ^= mix(word);
            h = (h << 13 | h >> 19) * 5 + 0xe6546b64u;
        }
        if (i < n) {
            uint32_t tail = 0;
            for (uint32_t t = 0; i + t < n; t++)
                tail |= (uint32_t)(unsigned char)key[i + t] << 8 * t;
            h ^= mix(tail);
        }
        h ^= n;
        h = (h ^ h >> 16) * 0x85ebca6bu;
        h = (h ^ h >> 13) * 0xc2b2ae35u;
        hashes[k] = h ^ h >> 16;
    }
}

#define KEYS 600

int main(void)
{
    static const struct {
        const char *text;
        uint32_t seed, hash;
    } known[] = {{"", 0, 0},
                 {"", 1, 0x514e28b7},
                 {"hello", 0, 0x248bfa47},
                 {"hello, world", 0, 0x149bbb7f},
                 {"The quick brown fox jumps over the lazy dog", 0, 0x2e4ff723}};
    static char bytes[KEYS * 20];
    static uint32_t offsets[KEYS + 1], hashes[KEYS], bits[32];
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof known / sizeof known[0]); calls++) {
        const uint32_t range[2] = {0, (uint32_t)strlen(known[calls].text)};
        murmur3(known[calls].text, range, 1, known[calls].seed, hashes);
        bad += hashes[0] != known[calls].hash;
    }
    for (uint32_t k = 0; k < KEYS; k++)
        offsets[k + 1] = offsets[k] + (uint32_t)sprintf(bytes + offsets[k], "key%u%s", (unsigned)(k * k), &"abcdefgh"[k % 9]);
    hashes[0] = 7;
    murmur3(bytes, offsets, 0, 5, hashes);
    bad += hashes[0] != 7;
    murmur3(bytes, offsets, KEYS, 5, hashes);
    // All different, every bit about as often one as zero, and the same when hashed alone.
    for (uint32_t k = 0; k < KEYS; k++) {
        for (uint32_t j = 0; j < k; j++)
            bad += hashes[j] == hashes[k];
        for (int b = 0; b < 32; b++)
            bits[b] += hashes[k] >> b & 1;
    }
    for (int b = 0; b < 32; b++)
        bad += bits[b] < KEYS * 2 / 5 || bits[b] > KEYS * 3 / 5;
    uint32_t alone;
    murmur3(bytes, offsets + 300, 1, 5, &alone);
    bad += alone != hashes[300];
    printf("murmur3: %d calls, %u keys, %d wrong\n", calls + 3, (unsigned)KEYS, bad);
    return bad != 0;
}
