// Machine learning: fully connected layer of unsigned bytes and signed weights, four at a time as dot-product units do.
// Quantised inference. An unrolled main loop over bytes and a loop for what remains; ReLU, a power-of-two scale and
// saturation to a byte.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

LOOM_ACCEL void dense_int8(const uint8_t *restrict x, const int8_t *restrict w, const int32_t *restrict bias,
                           uint8_t *restrict y, int inputs, int outputs, int shift)
{
    for (int o = 0; o < outputs; o++) {
        LOOM_INDEPENDENT;
        const int8_t *row = w + o * inputs;
        int32_t acc = bias[o];
        int i = 0;
        for (; i + 4 <= inputs; i += 4)
            acc += x[i] * row[i] + x[i + 1] * row[i + 1] + x[i + 2] * row[i + 2] + x[i + 3] * row[i + 3];
        for (; i < inputs; i++)
            acc += x[i] * row[i];
        acc = acc < 0 ? 0 : acc >> shift;
        y[o] = (uint8_t)(acc > 255 ? 255 : acc);
    }
}

#define IN 130
#define OUT 64

int main(void)
{
    static const int sizes[][2] = {{IN, OUT}, {0, 4}, {5, 0}, {1, 1}, {7, 20}, {128, 30}};
    static uint8_t x[IN], y[OUT];
    static int8_t w[IN * OUT];
    static int32_t bias[OUT];
    int64_t want[OUT];
    uint32_t state = 17;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int inputs = sizes[calls][0], outputs = sizes[calls][1], shift = calls % 3 * 5;
        for (int i = 0; i < IN; i++) {
            state = state * 22695477u + 1u;
            x[i] = (uint8_t)(state >> 24);
        }
        for (int i = 0; i < IN * OUT; i++) {
            state = state * 22695477u + 1u;
            w[i] = (int8_t)((int)(state >> 24) - 128);
        }
        for (int o = 0; o < OUT; o++) {
            bias[o] = o * 211 - 5000;
            want[o] = bias[o];
            y[o] = 7;
        }
        dense_int8(x, w, bias, y, inputs, outputs, shift);
        // Column by column, and the scale as a division.
        for (int i = 0; i < inputs; i++)
            for (int o = 0; o < outputs; o++)
                want[o] += (int64_t)x[i] * w[o * inputs + i];
        for (int o = 0; o < OUT; o++) {
            int64_t v = want[o] > 0 ? want[o] / (1 << shift) : 0;
            v = v < 255 ? v : 255;
            bad += y[o] != (o < outputs ? v : 7);
        }
    }
    printf("dense_int8: %d layers, %d values wrong\n", calls, bad);
    return bad != 0;
}
