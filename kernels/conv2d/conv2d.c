// Machine learning: two-dimensional convolution with stride, padding, bias and ReLU, planes of floats.
// Every convolutional network (LeCun 1989). Six nested loops, borders tested inside of the innermost two, and strides that
// only the call knows.
#include "loom.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

struct shape {
    int channels, height, width;
    int filters, kernel, stride, padding;
};

LOOM_ACCEL void conv2d(const struct shape *s, const float *restrict in, const float *restrict weight,
                       const float *restrict bias, float *restrict out)
{
    const int oh = (s->height + 2 * s->padding - s->kernel) / s->stride + 1;
    const int ow = (s->width + 2 * s->padding - s->kernel) / s->stride + 1;
    for (int f = 0; f < s->filters; f++) {
        LOOM_INDEPENDENT;
        for (int y = 0; y < oh; y++)
            for (int x = 0; x < ow; x++) {
                LOOM_INDEPENDENT;
                float sum = bias[f];
                for (int c = 0; c < s->channels; c++)
                    for (int ky = 0; ky < s->kernel; ky++) {
                        const int iy = y * s->stride + ky - s->padding;
                        if (iy < 0 || iy >= s->height)
                            continue;
                        for (int kx = 0; kx < s->kernel; kx++) {
                            const int ix = x * s->stride + kx - s->padding;
                            if (ix >= 0 && ix < s->width)
                                sum += in[(c * s->height + iy) * s->width + ix] *
                                       weight[((f * s->channels + c) * s->kernel + ky) * s->kernel + kx];
                        }
                    }
                out[(f * oh + y) * ow + x] = sum > 0.0f ? sum : 0.0f;
            }
    }
}

#define MAX 1200

static float fraction(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 24) / 128.0f - 1.0f;
}

int main(void)
{
    static const struct shape shapes[] = {
        {2, 12, 11, 3, 3, 1, 1}, {1, 1, 1, 1, 1, 1, 0}, {3, 9, 9, 2, 3, 2, 0}, {1, 4, 4, 2, 5, 1, 2}, {2, 5, 3, 0, 3, 1, 1}};
    static float in[MAX], weight[MAX], bias[8], out[MAX];
    static double want[MAX];
    uint32_t state = 2;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof shapes / sizeof shapes[0]); calls++) {
        const struct shape s = shapes[calls];
        const int oh = (s.height + 2 * s.padding - s.kernel) / s.stride + 1;
        const int ow = (s.width + 2 * s.padding - s.kernel) / s.stride + 1;
        for (int i = 0; i < MAX; i++) {
            in[i] = fraction(&state);
            weight[i] = fraction(&state);
            want[i] = 0.0;
            out[i] = -5.0f;
        }
        for (int f = 0; f < 8; f++)
            bias[f] = fraction(&state);
        conv2d(&s, in, weight, bias, out);
        // Scattered: each input, times each weight, goes where it belongs if there is such a place.
        for (int i = 0; i < s.channels * s.height * s.width; i++) {
            const int c = i / (s.height * s.width), y = i / s.width % s.height + s.padding, x = i % s.width + s.padding;
            for (int w = 0; w < s.filters * s.kernel * s.kernel; w++) {
                const int f = w / (s.kernel * s.kernel), ky = w / s.kernel % s.kernel, kx = w % s.kernel;
                const int ty = y - ky, tx = x - kx;
                if (ty >= 0 && tx >= 0 && ty % s.stride == 0 && tx % s.stride == 0 && ty / s.stride < oh && tx / s.stride < ow)
                    want[(f * oh + ty / s.stride) * ow + tx / s.stride] +=
                        (double)in[i] * weight[((f * s.channels + c) * s.kernel + ky) * s.kernel + kx];
            }
        }
        for (int i = 0; i < MAX; i++) {
            const int f = i / (oh * ow);
            bad += f < s.filters ? !(fabs(fmax(0.0, want[i] + bias[f]) - out[i]) < 1e-4) : out[i] != -5.0f;
        }
    }
    printf("conv2d: %d layers, %d values wrong\n", calls, bad);
    return bad != 0;
}
