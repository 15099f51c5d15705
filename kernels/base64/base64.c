// Strings: Base64 encoding of bytes with padding.
// RFC 4648. Three bytes in and four out in each iteration, each through a constant table, and a tail of one or two bytes
// that is not like the rest.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char digits[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

LOOM_ACCEL uint32_t base64_encode(const uint8_t *restrict in, uint32_t n, char *restrict out)
{
    char *const begin = out;
    while (n >= 3) {
        const uint32_t v = (uint32_t)in[0] << 16 | (uint32_t)in[1] << 8 | in[2];
        out[0] = digits[v >> 18];
        out[1] = digits[v >> 12 & 63];
        out[2] = digits[v >> 6 & 63];
        out[3] = digits[v & 63];
        in += 3;
        out += 4;
        n -= 3;
    }
    if (n > 0) {
        const uint32_t v = (uint32_t)in[0] << 8 | (n > 1 ? in[1] : 0u);
        *out++ = digits[v >> 10];
        *out++ = digits[v >> 4 & 63];
        *out++ = n > 1 ? digits[v << 2 & 63] : '=';
        *out++ = '=';
    }
    return (uint32_t)(out - begin);
}

int main(void)
{
    static const char *const known[][2] = {{"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foobar", "Zm9vYmFy"}};
    static uint8_t data[3000];
    static char text[4100];
    int bad = 0, calls = 0;
    for (; calls < 5; calls++) {
        const uint32_t length = base64_encode((const uint8_t *)known[calls][0], (uint32_t)strlen(known[calls][0]), text);
        bad += length != strlen(known[calls][1]) || memcmp(text, known[calls][1], length) != 0;
    }
    for (uint32_t n = 2998; n <= 3000; n++, calls++) {
        for (uint32_t i = 0; i < n; i++)
            data[i] = (uint8_t)(i * i / 7 + i * n);
        const uint32_t length = base64_encode(data, n, text);
        // Decoding bit by bit gives the bytes again.
        uint32_t bits = 0;
        uint64_t hold = 0;
        uint32_t at = 0;
        bad += length != (n + 2) / 3 * 4;
        for (uint32_t i = 0; i < length && text[i] != '='; i++) {
            const char *d = strchr(digits, text[i]);
            hold = hold << 6 | (uint64_t)(d - digits);
            bits += 6;
            if (bits >= 8) {
                bits -= 8;
                bad += data[at++] != (uint8_t)(hold >> bits);
            }
        }
        bad += at != n;
    }
    printf("base64: %d texts, %d wrong\n", calls, bad);
    return bad != 0;
}
