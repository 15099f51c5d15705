// Image: forward discrete cosine transform of 8 by 8 blocks and quantisation, the core of JPEG.
// By rows, then by columns through a local array, with a constant cosine table in 1.13 fixed point; then a rounded division
// of each coefficient by its table entry, negative ones included.
#include "loom.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// Half of the basis functions' values, times 8192.
static const int16_t basis[8][8] = {
    {2896, 2896, 2896, 2896, 2896, 2896, 2896, 2896}, {4017, 3406, 2276, 799, -799, -2276, -3406, -4017},
    {3784, 1567, -1567, -3784, -3784, -1567, 1567, 3784}, {3406, -799, -4017, -2276, 2276, 4017, 799, -3406},
    {2896, -2896, -2896, 2896, 2896, -2896, -2896, 2896}, {2276, -4017, 799, 3406, -3406, -799, 4017, -2276},
    {1567, -3784, 3784, -1567, -1567, 3784, -3784, 1567}, {799, -2276, 3406, -4017, 4017, -3406, 2276, -799}};

static const uint8_t quant[64] = {16, 11, 10, 16, 24,  40,  51,  61,  12, 12, 14, 19, 26,  58,  60,  55,
                                  14, 13, 16, 24, 40,  57,  69,  56,  14, 17, 22, 29, 51,  87,  80,  62,
                                  18, 22, 37, 56, 68,  109, 103, 77,  24, 35, 55, 64, 81,  104, 113, 92,
                                  49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99};

LOOM_ACCEL void dct8x8(const uint8_t *restrict pixels, int16_t *restrict out, int blocks)
{
    int32_t half[8][8];
    LOOM_BANKS(half, 8);
    for (int n = 0; n < blocks; n++, pixels += 64, out += 64) {
        for (int y = 0; y < 8; y++) {
            for (int u = 0; u < 8; u++) {
                int32_t sum = 0;
                for (int x = 0; x < 8; x++) {
                    LOOM_UNROLL(8);
                    sum += (pixels[y * 8 + x] - 128) * basis[u][x];
                }
                half[y][u] = (sum + 512) >> 10;
            }
        }
        for (int u = 0; u < 8; u++) {
            for (int v = 0; v < 8; v++) {
                int32_t sum = 0;
                for (int y = 0; y < 8; y++) {
                    LOOM_UNROLL(8);
                    sum += half[y][u] * basis[v][y];
                }
                const int32_t q = quant[v * 8 + u] << 16;
                out[v * 8 + u] = (int16_t)(sum < 0 ? -((-sum + q / 2) / q) : (sum + q / 2) / q);
            }
        }
    }
}

#define BLOCKS 6

int main(void)
{
    static const int sizes[] = {BLOCKS, 0, 1, 3};
    static uint8_t pixels[BLOCKS * 64];
    static int16_t out[BLOCKS * 64 + 1];
    int bad = 0, calls = 0, nonzero = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int blocks = sizes[calls];
        for (int i = 0; i < BLOCKS * 64; i++) {
            const int x = i % 8, y = i / 8 % 8, n = i / 64;
            pixels[i] = (uint8_t)(128 + (n + 1) * (x - 3) * (y - 4) + (x * x * calls + y * n * 5) % 40);
        }
        out[blocks * 64] = 1234;
        dct8x8(pixels, out, blocks);
        bad += out[blocks * 64] != 1234;
        for (int n = 0; n < blocks; n++)
            for (int k = 0; k < 64; k++) {
                const double pi = 3.141592653589793;
                double sum = 0.0;
                for (int i = 0; i < 64; i++)
                    sum += (pixels[n * 64 + i] - 128.0) * cos((2 * (i % 8) + 1) * (k % 8) * pi / 16) *
                           cos((2 * (i / 8) + 1) * (k / 8) * pi / 16);
                sum *= 0.25 * (k % 8 ? 1.0 : sqrt(0.5)) * (k / 8 ? 1.0 : sqrt(0.5));
                // Rounded to the nearest; a value near the middle of two may go either way.
                bad += !(fabs(sum / quant[k] - out[n * 64 + k]) < 0.52);
                nonzero += out[n * 64 + k] != 0;
            }
    }
    printf("dct8x8: %d calls, %d coefficients are not zero, %d wrong\n", calls, nonzero, bad);
    return bad != 0 || nonzero < 50;
}
