// Checksums: Adler-32 of zlib.
// RFC 1950. Two sums, one fed by the other, that are reduced only every 5552 bytes: nested loops over one advancing
// pointer whose inner trip count is a minimum, and a remainder by a constant.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define MODULUS 65521u
// So many bytes can be added before 32 bits overflow.
#define STRETCH 5552u

LOOM_ACCEL uint32_t adler32(uint32_t adler, const unsigned char *p, uint32_t n)
{
    uint32_t a = adler & 0xffff, b = adler >> 16;
    while (n > 0) {
        uint32_t now = n < STRETCH ? n : STRETCH;
        n -= now;
        while (now--) {
            LOOM_TRIP(1, STRETCH);
            a += *p++;
            b += a;
        }
        a %= MODULUS;
        b %= MODULUS;
    }
    return b << 16 | a;
}

int main(void)
{
    static unsigned char data[13000];
    static const uint32_t sizes[] = {13000, 0, 1, STRETCH, STRETCH + 1, 50};
    int bad = 0, calls = 0;
    // The largest sums there can be, then others.
    memset(data, 255, 12000);
    for (uint32_t i = 12000; i < sizeof data; i++)
        data[i] = (unsigned char)(i * 7);
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const uint32_t n = sizes[calls];
        // b is n plus the sum of each byte times how many sums it is in.
        uint64_t a = 1, b = n;
        for (uint32_t i = 0; i < n; i++) {
            a += data[i];
            b += (uint64_t)data[i] * (n - i);
        }
        bad += adler32(1, data, n) != (uint32_t)(b % MODULUS << 16 | a % MODULUS);
    }
    bad += adler32(1, (const unsigned char *)"Wikipedia", 9) != 0x11e60398;
    bad += adler32(adler32(1, data, 777), data + 777, 8000) != adler32(1, data, 8777);
    printf("adler32: %d messages, %d wrong\n", calls + 3, bad);
    return bad != 0;
}
