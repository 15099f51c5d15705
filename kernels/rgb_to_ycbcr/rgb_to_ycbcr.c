// Image: RGB pixels to luma and chroma planes, integer arithmetic of ITU-R BT.601 as in JPEG.
// An array of three-byte structures is read at a stride that no memory word has, and three byte arrays are written; the
// constant multiplications are shifts and adds to a good compiler.
#include "loom.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
    uint8_t r, g, b;
} rgb;

static inline uint8_t saturate(int32_t v)
{
    return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
}

LOOM_ACCEL void rgb_to_ycbcr(const rgb *restrict in, size_t n, uint8_t *restrict y, uint8_t *restrict cb,
                             uint8_t *restrict cr)
{
    for (size_t i = 0; i < n; i++) {
        LOOM_INDEPENDENT;
        LOOM_UNROLL(2);
        const int32_t r = in[i].r, g = in[i].g, b = in[i].b;
        y[i] = saturate((19595 * r + 38470 * g + 7471 * b + 32768) >> 16);
        cb[i] = saturate(((-11059 * r - 21709 * g + 32768 * b + 32768) >> 16) + 128);
        cr[i] = saturate(((32768 * r - 27439 * g - 5329 * b + 32768) >> 16) + 128);
    }
}

#define N 1500

int main(void)
{
    static const size_t sizes[] = {N, 0, 1, 700};
    static rgb in[N];
    static uint8_t y[N + 1], cb[N + 1], cr[N + 1];
    uint32_t state = 31;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const size_t n = sizes[calls];
        for (size_t i = 0; i < N; i++) {
            state = state * 1664525u + 1013904223u;
            in[i] = (rgb){(uint8_t)(state >> 24), (uint8_t)(state >> 16), (uint8_t)(state >> 8)};
            // Corners of the colour cube.
            if (i < 8)
                in[i] = (rgb){(uint8_t)(i & 1 ? 255 : 0), (uint8_t)(i & 2 ? 255 : 0), (uint8_t)(i & 4 ? 255 : 0)};
        }
        y[n] = cb[n] = cr[n] = 99;
        rgb_to_ycbcr(in, n, y, cb, cr);
        bad += y[n] != 99 || cb[n] != 99 || cr[n] != 99;
        // By the definition of luma and of colour differences; rounding may differ by one.
        for (size_t i = 0; i < n; i++) {
            const double luma = 0.299 * in[i].r + 0.587 * in[i].g + 0.114 * in[i].b;
            const double blue = 128.0 + (in[i].b - luma) / 1.772, red = 128.0 + (in[i].r - luma) / 1.402;
            bad += !(fabs(luma - y[i]) <= 1.0 && fabs(blue - cb[i]) <= 1.0 && fabs(red - cr[i]) <= 1.0);
        }
    }
    // Grey stays grey, to the bit.
    for (int v = 0; v < 256; v++) {
        const rgb grey = {(uint8_t)v, (uint8_t)v, (uint8_t)v};
        rgb_to_ycbcr(&grey, 1, y, cb, cr);
        bad += y[0] != v || cb[0] != 128 || cr[0] != 128;
    }
    printf("rgb_to_ycbcr: %d images, %d pixels wrong\n", calls + 256, bad);
    return bad != 0;
}
