// Image: median of each 3 by 3 neighbourhood, 8-bit pixels, borders copied.
// Removal of salt-and-pepper noise; the network of 19 exchanges is Paeth's (Graphics Gems, 1990). Nine loads and nineteen
// pairs of minimum and maximum for each pixel: wide and without any recurrence.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

#define W 40
#define H 30

#define EXCHANGE(a, b)                   \
    do {                                 \
        uint8_t low = a < b ? a : b;     \
        uint8_t high = a < b ? b : a;    \
        a = low;                         \
        b = high;                        \
    } while (0)

LOOM_ACCEL void median3x3(const uint8_t in[H][W], uint8_t out[H][W], int height)
{
    for (int y = 0; y < height; y++) {
        LOOM_INDEPENDENT;
        for (int x = 0; x < W; x++) {
            LOOM_INDEPENDENT;
            if (y == 0 || y == height - 1 || x == 0 || x == W - 1) {
                out[y][x] = in[y][x];
                continue;
            }
            uint8_t p0 = in[y - 1][x - 1], p1 = in[y - 1][x], p2 = in[y - 1][x + 1];
            uint8_t p3 = in[y][x - 1], p4 = in[y][x], p5 = in[y][x + 1];
            uint8_t p6 = in[y + 1][x - 1], p7 = in[y + 1][x], p8 = in[y + 1][x + 1];
            EXCHANGE(p1, p2);
            EXCHANGE(p4, p5);
            EXCHANGE(p7, p8);
            EXCHANGE(p0, p1);
            EXCHANGE(p3, p4);
            EXCHANGE(p6, p7);
            EXCHANGE(p1, p2);
            EXCHANGE(p4, p5);
            EXCHANGE(p7, p8);
            EXCHANGE(p0, p3);
            EXCHANGE(p5, p8);
            EXCHANGE(p4, p7);
            EXCHANGE(p3, p6);
            EXCHANGE(p1, p4);
            EXCHANGE(p2, p5);
            EXCHANGE(p4, p7);
            EXCHANGE(p4, p2);
            EXCHANGE(p6, p4);
            EXCHANGE(p4, p2);
            out[y][x] = p4;
        }
    }
}

int main(void)
{
    static const int heights[] = {H, 0, 1, 2, 3, 12};
    static uint8_t in[H][W], out[H][W];
    const uint8_t(*image)[W] = (const uint8_t(*)[W])in;
    uint32_t state = 6;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof heights / sizeof heights[0]); calls++) {
        const int height = heights[calls];
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++) {
                state = state * 22695477u + 1u;
                in[y][x] = (uint8_t)(state >> 24 < 40 ? 0 : state >> 24 > 220 ? 255 : (x * 5 + (state >> 28)));
                out[y][x] = 1;
            }
        median3x3(image, out, height);
        // A median has at most four values below it and at most four above.
        for (int y = 0; y < height; y++)
            for (int x = 0; x < W; x++) {
                if (y == 0 || y == height - 1 || x == 0 || x == W - 1) {
                    bad += out[y][x] != in[y][x];
                    continue;
                }
                int below = 0, equal = 0;
                for (int k = 0; k < 9; k++) {
                    const uint8_t v = in[y - 1 + k / 3][x - 1 + k % 3];
                    below += v < out[y][x];
                    equal += v == out[y][x];
                }
                bad += equal == 0 || below > 4 || below + equal < 5;
            }
    }
    printf("median3x3: %d images, %d pixels wrong\n", calls, bad);
    return bad != 0;
}
