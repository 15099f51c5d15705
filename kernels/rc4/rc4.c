// Cryptography: RC4, key schedule and stream.
// Rivest 1987; no longer secure, and still the hardest small cipher to run in parallel: each byte swaps two entries of the
// state at places that the state itself names, then reads a third.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

LOOM_ACCEL void rc4(const uint8_t *key, int length, const uint8_t *in, uint8_t *out, int n)
{
    uint8_t s[256], i = 0, j = 0;
    for (int k = 0; k < 256; k++)
        s[k] = (uint8_t)k;
    for (int k = 0; k < 256; k++) {
        const uint8_t t = s[k];
        j = (uint8_t)(j + t + key[k % length]);
        s[k] = s[j];
        s[j] = t;
    }
    j = 0;
    while (n-- > 0) {
        const uint8_t a = s[++i];
        j = (uint8_t)(j + a);
        const uint8_t b = s[j];
        s[i] = b;
        s[j] = a;
        *out++ = *in++ ^ s[(uint8_t)(a + b)];
    }
}

int main(void)
{
    static const struct {
        const char *key, *text;
        uint8_t cipher[14];
    } known[] = {{"Key", "Plaintext", {0xbb, 0xf3, 0x16, 0xe8, 0xd9, 0x40, 0xaf, 0x0a, 0xd3}},
                 {"Wiki", "pedia", {0x10, 0x21, 0xbf, 0x04, 0x20}},
                 {"Secret",
                  "Attack at dawn",
                  {0x45, 0xa0, 0x1f, 0x64, 0x5f, 0xc3, 0x5b, 0x38, 0x35, 0x52, 0x54, 0x4b, 0x9b, 0xf5}}};
    static uint8_t in[1200], out[1200], back[1200];
    int bad = 0, calls = 0;
    for (; calls < 3; calls++) {
        const int n = (int)strlen(known[calls].text);
        rc4((const uint8_t *)known[calls].key, (int)strlen(known[calls].key), (const uint8_t *)known[calls].text, out, n);
        bad += memcmp(out, known[calls].cipher, (size_t)n) != 0;
    }
    // Twice with one key is the message again, in place too; nothing at all changes nothing.
    for (int i = 0; i < 1200; i++)
        in[i] = back[i] = (uint8_t)(i % 7 * 31);
    const uint8_t key[5] = {1, 2, 3, 4, 5};
    rc4(key, 5, in, out, 1200);
    static const uint8_t stream[8] = {0xb2, 0x39, 0x63, 0x05, 0xf0, 0x3d, 0xc0, 0x27};
    for (int i = 0; i < 8; i++)
        bad += (in[i] ^ out[i]) != stream[i];
    rc4(key, 5, out, out, 1200);
    bad += memcmp(in, out, 1200) != 0;
    rc4(key, 1, in, back, 0);
    bad += memcmp(in, back, 1200) != 0;
    printf("rc4: %d messages, %d wrong\n", calls + 3, bad);
    return bad != 0;
}
