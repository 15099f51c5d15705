// Image: Sobel edge detector on 8-bit pixels, |gx| + |gy| saturated at 255.
// Image processing textbook. Eight neighbours are read for each pixel written, at row strides that only the call knows;
// bytes are widened, and the result is clamped back to a byte.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define W 48
#define H 40

LOOM_ACCEL void sobel(const uint8_t *restrict in, uint8_t *restrict out, int width, int height, int stride)
{
    for (int y = 1; y < height - 1; y++) {
        LOOM_INDEPENDENT;
        const uint8_t *up = in + (y - 1) * stride, *mid = up + stride, *down = mid + stride;
        for (int x = 1; x < width - 1; x++) {
            LOOM_INDEPENDENT;
            int gx = up[x + 1] + 2 * mid[x + 1] + down[x + 1] - up[x - 1] - 2 * mid[x - 1] - down[x - 1];
            int gy = down[x - 1] + 2 * down[x] + down[x + 1] - up[x - 1] - 2 * up[x] - up[x + 1];
            int sum = abs(gx) + abs(gy);
            out[y * stride + x] = (uint8_t)(sum > 255 ? 255 : sum);
        }
    }
}

// The same kernel as two passes: smoothing in one direction, then a difference in the other.
static int separable(const uint8_t *in, int x, int y, int stride)
{
    int smooth_y[3], smooth_x[3];
    for (int d = -1; d <= 1; d++) {
        const uint8_t *column = in + y * stride + x + d, *row = in + (y + d) * stride + x;
        smooth_y[d + 1] = column[-stride] + column[0] * 2 + column[stride];
        smooth_x[d + 1] = row[-1] + row[0] * 2 + row[1];
    }
    const int gx = smooth_y[2] - smooth_y[0], gy = smooth_x[2] - smooth_x[0];
    const int sum = (gx < 0 ? -gx : gx) + (gy < 0 ? -gy : gy);
    return sum < 255 ? sum : 255;
}

int main(void)
{
    static const int sizes[][2] = {{W, H}, {0, 0}, {1, 1}, {2, 9}, {3, 3}, {17, 11}};
    static uint8_t in[W * H], out[W * H];
    uint32_t state = 13;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int width = sizes[calls][0], height = sizes[calls][1];
        for (int i = 0; i < W * H; i++) {
            state = state * 1664525u + 1013904223u;
            in[i] = (uint8_t)(i % W > i / W ? 200 + (state >> 27) : state >> 26);
            out[i] = 3;
        }
        sobel(in, out, width, height, W);
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++) {
                const int inside = x > 0 && y > 0 && x < width - 1 && y < height - 1;
                bad += out[y * W + x] != (inside ? separable(in, x, y, W) : 3);
            }
    }
    printf("sobel: %d images, %d pixels wrong\n", calls, bad);
    return bad != 0;
}
