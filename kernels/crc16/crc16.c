// Checksums: CRC-16 of XMODEM and Bluetooth (CCITT polynomial), bit by bit without a table.
// The form that fits small controllers. Eight short iterations with a condition in each byte, all of one recurrence of 16
// bits: the least parallelism a checksum can have.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

LOOM_ACCEL uint16_t crc16(uint16_t crc, const uint8_t *data, uint16_t n)
{
    for (uint16_t i = 0; i < n; i++) {
        crc = (uint16_t)(crc ^ data[i] << 8);
        for (uint8_t bit = 0; bit < 8; bit++) {
            LOOM_UNROLL(8);
            if (crc & 0x8000)
                crc = (uint16_t)(crc << 1 ^ 0x1021);
            else
                crc = (uint16_t)(crc << 1);
        }
    }
    return crc;
}

// a b modulo x^16 + x^12 + x^5 + 1.
static uint32_t product(uint32_t a, uint32_t b)
{
    uint32_t p = 0;
    for (int i = 15; i >= 0; i--) {
        p = p << 1 ^ (p & 0x8000 ? 0x11021 : 0);
        p ^= b >> i & 1 ? a : 0;
    }
    return p;
}

int main(void)
{
    static uint8_t data[900];
    static const uint16_t sizes[] = {900, 0, 1, 2, 37};
    int bad = 0, calls = 0;
    for (uint32_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i * 101 ^ i >> 2);
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        // The sum of the bytes times their powers of x, from the last byte up.
        uint32_t want = 0, power = 0x1021;
        for (int i = sizes[calls] - 1; i >= 0; i--) {
            want ^= product(data[i], power);
            power = product(power, 0x100);
        }
        bad += crc16(0, data, sizes[calls]) != want;
    }
    const uint8_t *nine = (const uint8_t *)"123456789";
    bad += crc16(0, nine, 9) != 0x31c3;
    bad += crc16(0xffff, nine, 9) != 0x29b1;
    bad += crc16(crc16(0, nine, 4), nine + 4, 5) != 0x31c3;
    printf("crc16: %d messages, %d wrong\n", calls + 3, bad);
    return bad != 0;
}
