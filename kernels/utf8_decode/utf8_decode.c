// Strings: UTF-8 to code points; malformed bytes become U+FFFD.
// The Unicode Standard, chapter 3. A switch on the lead byte, then a short loop over continuation bytes that can break off;
// input advances by one to four and output by one.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

LOOM_ACCEL uint32_t utf8_decode(const uint8_t *in, uint32_t n, uint32_t *out)
{
    uint32_t made = 0, i = 0;
    while (i < n) {
        const uint8_t lead = in[i++];
        uint32_t code, least;
        int more;
        switch (lead >> 4) {
        case 0: case 1: case 2: case 3: case 4: case 5: case 6: case 7:
            out[made++] = lead;
            continue;
        case 12:
        case 13:
            code = lead & 31u;
            more = 1;
            least = 0x80;
            break;
        case 14:
            code = lead & 15u;
            more = 2;
            least = 0x800;
            break;
        case 15:
            if (lead < 0xf8) {
                code = lead & 7u;
                more = 3;
                least = 0x10000;
                break;
            }
            /* fall through */
        default:
            out[made++] = 0xfffd;
            continue;
        }
        for (; more > 0 && i < n && (in[i] & 0xc0) == 0x80; more--)
            code = code << 6 | (in[i++] & 63u);
        if (more > 0 || code < least || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
            code = 0xfffd;
        out[made++] = code;
    }
    return made;
}

static uint32_t encode(uint32_t c, uint8_t *to)
{
    if (c < 0x80) {
        to[0] = (uint8_t)c;
        return 1;
    }
    const uint32_t bytes = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (uint32_t k = bytes - 1; k > 0; k--, c >>= 6)
        to[k] = (uint8_t)(0x80 | (c & 0x3f));
    to[0] = (uint8_t)(0xf00 >> bytes | c);
    return bytes;
}

int main(void)
{
    static uint8_t text[4000];
    static uint32_t codes[1000], out[4000];
    uint32_t state = 5, length = 0;
    int bad = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        state = state * 1664525u + 1013904223u;
        codes[i] = (state >> 8) % (i % 4 == 0 ? 0x80 : i % 4 == 1 ? 0x800 : i % 4 == 2 ? 0xd800 : 0x100000);
        if (i % 4 == 3)
            codes[i] += 0x10000;
        length += encode(codes[i], text + length);
    }
    bad += utf8_decode(text, length, out) != 1000;
    for (uint32_t i = 0; i < 1000; i++)
        bad += out[i] != codes[i];
    bad += utf8_decode(text, 0, out) != 0;
    // Known answers: overlong, surrogate, too large, cut off, stray continuation, impossible bytes.
    static const uint8_t broken[] = {0xc0, 0xaf, 0xed, 0xa0, 0x80, 0xf5, 0x80, 0x80, 0x80, 0xe2, 0x82, 'x', 0x80, 0xff, 0xe2};
    static const uint32_t want[] = {0xfffd, 0xfffd, 0xfffd, 0xfffd, 'x', 0xfffd, 0xfffd, 0xfffd};
    bad += utf8_decode(broken, sizeof broken, out) != 8;
    for (int i = 0; i < 8; i++)
        bad += out[i] != want[i];
    static const uint8_t euro[] = {0xe2, 0x82, 0xac};
    bad += utf8_decode(euro, 3, out) != 1 || out[0] != 0x20ac;
    printf("utf8_decode: %u bytes, %d wrong\n", length, bad);
    return bad != 0;
}
