// Image: flood fill of a connected region from one pixel, with a stack of spans.
// Computer graphics textbook (Smith 1979). Trip counts are known to nobody before they end; the stack in a local array is
// pushed and popped in the same loop, and pixels are read and written at places that come out of it.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define W 40
#define H 32

// Returns the pixels changed, or -1 when the stack is too small.
LOOM_ACCEL int flood_fill(uint8_t *image, int width, int height, int x, int y, uint8_t colour)
{
    struct {
        int16_t x, y;
    } stack[256];
    int top = 0, count = 0;
    if (x < 0 || y < 0 || x >= width || y >= height)
        return 0;
    const uint8_t old = image[y * width + x];
    if (old == colour)
        return 0;
    stack[top].x = (int16_t)x;
    stack[top++].y = (int16_t)y;
    while (top > 0) {
        x = stack[--top].x;
        y = stack[top].y;
        uint8_t *row = image + y * width;
        if (row[x] != old)
            continue;
        while (x > 0 && row[x - 1] == old)
            x--;
        int above = 0, below = 0;
        for (; x < width && row[x] == old; x++) {
            row[x] = colour;
            count++;
            for (int side = -1; side <= 1; side += 2) {
                int *open = side < 0 ? &above : &below;
                const int ny = y + side;
                const int match = ny >= 0 && ny < height && row[x + side * width] == old;
                if (match && !*open) {
                    if (top == 256)
                        return -1;
                    stack[top].x = (int16_t)x;
                    stack[top++].y = (int16_t)ny;
                }
                *open = match;
            }
        }
    }
    return count;
}

// Spreads a set until nothing changes: as many sweeps as the region needs.
static int spread(uint8_t *image, int width, int height, int x, int y, uint8_t colour)
{
    const uint8_t old = image[y * width + x];
    int count = old != colour, changed = count;
    image[y * width + x] = colour;
    static uint8_t reached[W * H];
    memset(reached, 0, sizeof reached);
    reached[y * width + x] = 1;
    while (changed) {
        changed = 0;
        for (int i = 0; i < width * height; i++) {
            if (reached[i] || image[i] != old)
                continue;
            if ((i % width > 0 && reached[i - 1]) || (i % width < width - 1 && reached[i + 1]) ||
                (i >= width && reached[i - width]) || (i + width < width * height && reached[i + width])) {
                reached[i] = 1;
                image[i] = colour;
                count++;
                changed = 1;
            }
        }
    }
    return count;
}

int main(void)
{
    static const int starts[][2] = {{0, 0}, {20, 16}, {39, 31}, {-1, 4}, {5, 99}, {3, 30}};
    static uint8_t image[W * H], want[W * H];
    int bad = 0, calls = 0, filled = 0;
    for (; calls < (int)(sizeof starts / sizeof starts[0]); calls++) {
        const int x = starts[calls][0], y = starts[calls][1];
        // Rings, with gaps through which the fill has to find its way.
        for (int i = 0; i < W * H; i++) {
            const int u = i % W - 20, v = i / W - 16, ring = (u * u + v * v + calls * 9) / 36;
            want[i] = image[i] = (uint8_t)(ring % 4 == 1 && (u * 3 + v) % 7 ? 1 : 0);
        }
        const int count = flood_fill(image, W, H, x, y, 9);
        const int inside = x >= 0 && y >= 0 && x < W && y < H;
        bad += count != (inside ? spread(want, W, H, x, y, 9) : 0);
        bad += memcmp(image, want, sizeof image) != 0;
        // A second time there is nothing to do.
        bad += inside && flood_fill(image, W, H, x, y, 9) != 0;
        filled += count;
    }
    uint8_t dot = 1;
    bad += flood_fill(&dot, 1, 1, 0, 0, 2) != 1 || dot != 2;
    printf("flood_fill: %d regions, %d pixels, %d wrong\n", calls + 1, filled, bad);
    return bad != 0 || filled < W * H / 4;
}
