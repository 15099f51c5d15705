// Image: scaling by bilinear interpolation in 16.16 fixed point, 8-bit pixels.
// Every video scaler. Four loads at addresses that come from a position accumulated in fixed point, with clamps at the
// border, and a division for each call but none for each pixel.
#include "loom.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#define MAX 48

LOOM_ACCEL void bilinear(const uint8_t *restrict src, int sw, int sh, uint8_t *restrict dst, int dw, int dh)
{
    if (sw < 1 || sh < 1 || dw < 1 || dh < 1)
        return;
    const int32_t dx = dw > 1 ? ((sw - 1) << 16) / (dw - 1) : 0;
    const int32_t dy = dh > 1 ? ((sh - 1) << 16) / (dh - 1) : 0;
    int32_t fy = 0;
    for (int y = 0; y < dh; y++, fy += dy) {
        const int y0 = fy >> 16, y1 = y0 + 1 < sh ? y0 + 1 : y0;
        const int32_t wy = fy >> 8 & 255;
        int32_t fx = 0;
        for (int x = 0; x < dw; x++, fx += dx) {
            const int x0 = fx >> 16, x1 = x0 + 1 < sw ? x0 + 1 : x0;
            const int32_t wx = fx >> 8 & 255;
            const int32_t top = src[y0 * sw + x0] * (256 - wx) + src[y0 * sw + x1] * wx;
            const int32_t bottom = src[y1 * sw + x0] * (256 - wx) + src[y1 * sw + x1] * wx;
            *dst++ = (uint8_t)((top * (256 - wy) + bottom * wy + 32768) >> 16);
        }
    }
}

int main(void)
{
    static const int sizes[][4] = {{20, 16, MAX, MAX}, {0, 4, 3, 3}, {4, 4, 0, 5}, {1, 1, 5, 3},
                                   {9, 7, 9, 7},       {30, 24, 7, 5}, {8, 8, 1, 1}};
    static uint8_t src[MAX * MAX], dst[MAX * MAX + 1];
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int sw = sizes[calls][0], sh = sizes[calls][1], dw = sizes[calls][2], dh = sizes[calls][3];
        for (int y = 0; y < sh; y++)
            for (int x = 0; x < sw; x++)
                src[y * sw + x] = (uint8_t)(x * 29 + y * 53 + x * y * 7);
        dst[dw * dh] = 200;
        bilinear(src, sw, sh, dst, dw, dh);
        bad += dst[dw * dh] != 200;
        if (sw == 0 || sh == 0)
            continue;
        // As a weighted sum over all source pixels with the hat function, in floating point.
        for (int y = 0; y < dh; y++)
            for (int x = 0; x < dw; x++) {
                const double px = dw > 1 ? (double)x * (sw - 1) / (dw - 1) : 0.0;
                const double py = dh > 1 ? (double)y * (sh - 1) / (dh - 1) : 0.0;
                double want = 0.0;
                for (int v = 0; v < sh; v++)
                    for (int u = 0; u < sw; u++)
                        want += src[v * sw + u] * fmax(0.0, 1.0 - fabs(px - u)) * fmax(0.0, 1.0 - fabs(py - v));
                // Positions are cut to 1/256, so values may be off by that part of the contrast.
                bad += !(fabs(want - dst[y * dw + x]) <= 3.0);
                if (sw == dw && sh == dh)
                    bad += dst[y * dw + x] != src[y * sw + x];
            }
    }
    printf("bilinear: %d images, %d pixels wrong\n", calls, bad);
    return bad != 0;
}
