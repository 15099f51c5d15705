// Machine learning: 2 by 2 maximum pooling with the place of each maximum, for training.
// Every convolutional network. Conditional selection of a value together with its index, ties to the first, and an output
// that is smaller than the input by a shift.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

LOOM_ACCEL void max_pool(const float *restrict in, int height, int width, float *restrict out, uint16_t *restrict place)
{
    const int oh = height >> 1, ow = width >> 1;
    for (int y = 0; y < oh; y++) {
        LOOM_INDEPENDENT;
        for (int x = 0; x < ow; x++) {
            LOOM_INDEPENDENT;
            int best = 2 * y * width + 2 * x;
            float value = in[best];
            for (int k = 1; k < 4; k++) {
                LOOM_UNROLL(3);
                const int at = (2 * y + (k >> 1)) * width + 2 * x + (k & 1);
                if (in[at] > value) {
                    value = in[at];
                    best = at;
                }
            }
            out[y * ow + x] = value;
            place[y * ow + x] = (uint16_t)best;
        }
    }
}

#define H 48
#define W 50

int main(void)
{
    static const int sizes[][2] = {{H, W}, {0, 4}, {1, 1}, {2, 2}, {7, 13}};
    static float in[H * W], out[H * W];
    static uint16_t place[H * W];
    uint32_t state = 91;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int height = sizes[calls][0], width = sizes[calls][1], ow = width / 2, n = height / 2 * ow;
        for (int i = 0; i < H * W; i++) {
            state = state * 1664525u + 1013904223u;
            in[i] = (float)((int)(state >> 28) - 12);
            out[i] = 99.0f;
        }
        max_pool(in, height, width, out, place);
        for (int i = n; i < H * W; i++)
            bad += out[i] != 99.0f;
        // Every input belongs to one window, is not above its maximum, and if equal does not stand before its place.
        int covered = 0;
        for (int i = 0; i < height * width; i++) {
            const int y = i / width / 2, x = i % width / 2;
            if (y >= height / 2 || x >= ow)
                continue;
            const int window = y * ow + x;
            bad += in[i] > out[window] || (in[i] == out[window] && i < place[window]);
            covered += i == place[window] && in[i] == out[window];
        }
        bad += covered != n;
    }
    printf("max_pool: %d planes, %d values wrong\n", calls, bad);
    return bad != 0;
}
