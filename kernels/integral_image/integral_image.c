// Image: summed-area table and box sums from it, 8-bit pixels to 32-bit sums.
// Crow 1984; face detection. Each entry needs the one to its left and the one above, written a row ago; four far apart
// entries make one box sum.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

#define W 45
#define H 33

static uint32_t table[H + 1][W + 1];

LOOM_ACCEL void box_sums(const uint8_t *image, int width, int height, int radius, uint16_t *mean)
{
    for (int x = 0; x <= width; x++)
        table[0][x] = 0;
    for (int y = 0; y < height; y++) {
        uint32_t row = 0;
        table[y + 1][0] = 0;
        for (int x = 0; x < width; x++) {
            row += image[y * width + x];
            table[y + 1][x + 1] = table[y][x + 1] + row;
        }
    }
    for (int y = 0; y < height; y++) {
        const int y0 = y - radius > 0 ? y - radius : 0, y1 = y + radius + 1 < height ? y + radius + 1 : height;
        for (int x = 0; x < width; x++) {
            const int x0 = x - radius > 0 ? x - radius : 0, x1 = x + radius + 1 < width ? x + radius + 1 : width;
            const uint32_t sum = table[y1][x1] - table[y0][x1] - table[y1][x0] + table[y0][x0];
            mean[y * width + x] = (uint16_t)(sum * 16u / (uint32_t)((y1 - y0) * (x1 - x0)));
        }
    }
}

int main(void)
{
    static const int sizes[][3] = {{W, H, 3}, {0, 0, 1}, {1, 1, 5}, {7, 12, 0}, {20, 9, 100}};
    static uint8_t image[W * H];
    static uint16_t mean[W * H + 1];
    uint32_t state = 64;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int width = sizes[calls][0], height = sizes[calls][1], radius = sizes[calls][2];
        for (int i = 0; i < W * H; i++) {
            state = state * 1664525u + 1013904223u;
            image[i] = (uint8_t)(state >> 24);
        }
        mean[width * height] = 4711;
        box_sums(image, width, height, radius, mean);
        bad += mean[width * height] != 4711;
        for (int i = 0; i < width * height; i++) {
            uint32_t sum = 0, count = 0;
            for (int k = 0; k < width * height; k++) {
                const int dx = k % width - i % width, dy = k / width - i / width;
                if (dx >= -radius && dx <= radius && dy >= -radius && dy <= radius) {
                    sum += image[k];
                    count++;
                }
            }
            bad += mean[i] != sum * 16 / count;
        }
    }
    printf("integral_image: %d images, %d means wrong\n", calls, bad);
    return bad != 0;
}
