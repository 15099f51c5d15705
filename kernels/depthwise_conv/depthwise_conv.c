// Machine learning: depthwise 3 by 3 convolution of 8-bit integers with requantisation, channels last.
// MobileNet (Howard et al. 2017) as TensorFlow Lite computes it. Signed bytes with zero points into 32-bit sums, then a
// fixed-point multiplication in 64 bits with a rounded shift, and saturation.
#include "loom.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#define CHANNELS 6

struct channel {
    int32_t bias;
    int32_t multiplier;
    uint8_t shift;
};

LOOM_ACCEL void depthwise_conv(const int8_t *restrict in, const int8_t *restrict weight,
                               const struct channel *restrict channels, int8_t *restrict out, int height, int width,
                               int in_zero, int out_zero)
{
    for (int y = 0; y + 3 <= height; y++)
        for (int x = 0; x + 3 <= width; x++)
            for (int c = 0; c < CHANNELS; c++) {
                LOOM_INDEPENDENT;
                int32_t acc = channels[c].bias;
                for (int k = 0; k < 9; k++) {
                    LOOM_UNROLL(9);
                    const int at = ((y + k / 3) * width + x + k % 3) * CHANNELS + c;
                    acc += (in[at] - in_zero) * weight[k * CHANNELS + c];
                }
                const int64_t half = INT64_C(1) << (channels[c].shift - 1);
                int32_t v = (int32_t)(((int64_t)acc * channels[c].multiplier + half) >> channels[c].shift) + out_zero;
                if (v < -128)
                    v = -128;
                if (v > 127)
                    v = 127;
                *out++ = (int8_t)v;
            }
}

#define H 9
#define W 10

int main(void)
{
    static const int sizes[][2] = {{H, W}, {0, 0}, {2, 8}, {3, 3}, {5, 9}};
    static int8_t in[H * W * CHANNELS], weight[9 * CHANNELS], out[H * W * CHANNELS];
    struct channel channels[CHANNELS];
    double scale[CHANNELS];
    uint32_t state = 45;
    int bad = 0, calls = 0, saturated = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int height = sizes[calls][0], width = sizes[calls][1], zero = 3 - calls * 7, target = calls - 11;
        for (int i = 0; i < H * W * CHANNELS; i++) {
            state = state * 1664525u + 1013904223u;
            in[i] = (int8_t)((int)(state >> 24) - 128);
            out[i] = 101;
        }
        for (int i = 0; i < 9 * CHANNELS; i++) {
            state = state * 1664525u + 1013904223u;
            weight[i] = (int8_t)((int)(state >> 24) - 128);
        }
        for (int c = 0; c < CHANNELS; c++) {
            // The scale as a fraction of 31 bits and a power of two.
            int exponent;
            scale[c] = 0.0007 * (c + 1) * (c + 1);
            const double part = frexp(scale[c], &exponent);
            channels[c] = (struct channel){c * 300 - 700, (int32_t)lrint(part * 2147483647.0), (uint8_t)(31 - exponent)};
        }
        depthwise_conv(in, weight, channels, out, height, width, zero, target);
        // In floating point, from the real numbers that the bytes stand for.
        int at = 0;
        for (int y = 0; y < height - 2; y++)
            for (int x = 0; x < width - 2; x++)
                for (int c = 0; c < CHANNELS; c++) {
                    double sum = channels[c].bias;
                    for (int dy = 2; dy >= 0; dy--)
                        for (int dx = 2; dx >= 0; dx--)
                            sum += ((double)in[((y + dy) * width + x + dx) * CHANNELS + c] - zero) *
                                   weight[(dy * 3 + dx) * CHANNELS + c];
                    const double want = fmin(127.0, fmax(-128.0, sum * scale[c] + target));
                    bad += !(fabs(want - out[at]) <= 0.51);
                    saturated += out[at] == 127 || out[at] == -128;
                    at++;
                }
        for (; at < H * W * CHANNELS; at++)
            bad += out[at] != 101;
    }
    printf("depthwise_conv: %d layers, %d values saturated, %d wrong\n", calls, saturated, bad);
    return bad != 0 || saturated == 0;
}
