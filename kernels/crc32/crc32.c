// Checksums: CRC-32 of Ethernet and zip, four bytes at a time with four tables.
// IEEE 802.3; the slicing is Kounavis and Berry's (2005). Loads at places that come out of the recurrence itself, a main
// loop in words and another one for the bytes that remain.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint32_t table[4][256];

LOOM_ACCEL uint32_t crc32_update(uint32_t crc, const uint8_t *data, uint32_t n)
{
    crc = ~crc;
    for (; n >= 4; n -= 4, data += 4) {
        crc ^= (uint32_t)data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16 | (uint32_t)data[3] << 24;
        crc = table[3][crc & 255] ^ table[2][crc >> 8 & 255] ^ table[1][crc >> 16 & 255] ^ table[0][crc >> 24];
    }
    while (n--)
        crc = crc >> 8 ^ table[0][(crc ^ *data++) & 255];
    return ~crc;
}

// Long division of the message by the polynomial, one bit at a time.
static uint32_t divide(const uint8_t *data, uint32_t n)
{
    uint32_t rest = 0xffffffff;
    for (uint32_t i = 0; i < 8 * n; i++) {
        const uint32_t out = (rest ^ data[i / 8] >> i % 8) & 1;
        rest = rest >> 1 ^ (out ? 0xedb88320 : 0);
    }
    return ~rest;
}

int main(void)
{
    static uint8_t data[6000];
    static const uint32_t sizes[] = {6000, 0, 1, 3, 4, 5, 999};
    int bad = 0, calls = 0;
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int bit = 0; bit < 8; bit++)
            c = c >> 1 ^ (c & 1 ? 0xedb88320 : 0);
        table[0][i] = c;
    }
    for (int k = 1; k < 4; k++)
        for (int i = 0; i < 256; i++)
            table[k][i] = table[k - 1][i] >> 8 ^ table[0][table[k - 1][i] & 255];
    for (uint32_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i * i >> 3 ^ i);
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const uint32_t n = sizes[calls];
        bad += crc32_update(0, data, n) != divide(data, n);
        // In two parts.
        bad += crc32_update(crc32_update(0, data, n / 3), data + n / 3, n - n / 3) != divide(data, n);
    }
    bad += crc32_update(0, (const uint8_t *)"123456789", 9) != 0xcbf43926;
    printf("crc32: %d messages, %d wrong\n", calls + 1, bad);
    return bad != 0;
}
