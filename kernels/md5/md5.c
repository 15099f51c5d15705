// Cryptography: MD5's compression function over whole blocks.
// RFC 1321. Four kinds of round behind a switch on the round number, a rotation by a distance from a table, and message
// words read in four different orders; a recurrence through all 64 rounds.
#include "loom.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

// Filled by main: the integer part of 2^32 |sin(i + 1)|.
static uint32_t sines[64];
static const uint8_t turns[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

LOOM_ACCEL void md5_blocks(uint32_t *restrict state, const uint32_t *restrict words, int blocks)
{
    for (int block = 0; block < blocks; block++, words += 16) {
        uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
        for (uint32_t i = 0; i < 64; i++) {
            uint32_t f, g;
            switch (i / 16) {
            case 0:
                f = (b & c) | (~b & d);
                g = i;
                break;
            case 1:
                f = (d & b) | (~d & c);
                g = (5 * i + 1) & 15;
                break;
            case 2:
                f = b ^ c ^ d;
                g = (3 * i + 5) & 15;
                break;
            default:
                f = c ^ (b | ~d);
                g = 7 * i & 15;
                break;
            }
            const uint32_t sum = a + f + sines[i] + words[g];
            const int turn = turns[i / 16][i % 4];
            a = d;
            d = c;
            c = b;
            b += sum << turn | sum >> (32 - turn);
        }
        state[0] += a;
        state[1] += b;
        state[2] += c;
        state[3] += d;
    }
}

static void digest(const uint8_t *message, uint32_t n, char hex[33])
{
    uint32_t state[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476}, words[80] = {0};
    const uint32_t blocks = (n + 8) / 64 + 1;
    for (uint32_t i = 0; i <= n; i++)
        words[i / 4] |= (uint32_t)(i < n ? message[i] : 0x80) << i % 4 * 8;
    words[16 * blocks - 2] = 8 * n;
    md5_blocks(state, words, (int)blocks);
    for (int i = 0; i < 16; i++)
        sprintf(hex + 2 * i, "%02x", (unsigned)(state[i / 4] >> i % 4 * 8 & 255));
}

int main(void)
{
    static const struct {
        const char *text, *hex;
    } known[] = {
        {"", "d41d8cd98f00b204e9800998ecf8427e"},
        {"a", "0cc175b9c0f1b6a831c399e269772661"},
        {"abc", "900150983cd24fb0d6963f7d28e17f72"},
        {"message digest", "f96b697d7cb7938d525a2f31aaf161d0"},
        {"abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"},
    };
    static const struct {
        uint32_t length;
        const char *hex;
    } counted[] = {
        // Messages of the bytes 7 i + 3.
        {55, "52c0e574e1198de5fe3f8f11440dcb1b"},
        {56, "46c9907fc908ee68b1e7b8e71286a518"},
        {64, "7160b8fb5e9e4023d549c3971fbaeead"},
        {200, "4c79b81ac94bad7a875519ce6b964c66"},
    };
    uint8_t message[200];
    char hex[33];
    int bad = 0, calls = 0;
    for (int i = 0; i < 64; i++)
        sines[i] = (uint32_t)(4294967296.0 * fabs(sin(i + 1.0)));
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++, calls++) {
        digest((const uint8_t *)known[i].text, (uint32_t)strlen(known[i].text), hex);
        bad += strcmp(hex, known[i].hex) != 0;
    }
    for (int i = 0; i < 200; i++)
        message[i] = (uint8_t)(i * 7 + 3);
    for (int round = 0; round < 4; round++)
        for (unsigned i = 0; i < sizeof counted / sizeof counted[0]; i++, calls++) {
            digest(message, counted[i].length, hex);
            bad += strcmp(hex, counted[i].hex) != 0;
        }
    printf("md5: %d digests, %d wrong\n", calls, bad);
    return bad != 0;
}
