// DSP: full linear convolution of two signals of any lengths, 16-bit samples into 32-bit sums.
// Signal processing 101. The inner loop's bounds are a maximum and a minimum of outer ones, so that its trip count rises,
// stays and falls; one operand is read backwards.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

#define MAX 90

static inline int min(int a, int b)
{
    return a < b ? a : b;
}

LOOM_ACCEL void convolution(const int16_t *restrict x, int nx, const int16_t *restrict h, int nh, int32_t *restrict y)
{
    if (nx == 0 || nh == 0)
        return;
    for (int i = 0; i < nx + nh - 1; i++) {
        LOOM_INDEPENDENT;
        const int first = i < nh ? 0 : i - nh + 1;
        const int last = min(i, nx - 1);
        int32_t sum = 0;
        for (int k = first; k <= last; k++)
            sum += x[k] * h[i - k];
        y[i] = sum;
    }
}

int main(void)
{
    static const int sizes[][2] = {{MAX, 60}, {0, 5}, {5, 0}, {1, 1}, {1, 20}, {20, 1}, {13, 40}};
    static int16_t x[MAX], h[MAX];
    static int32_t y[2 * MAX];
    uint32_t state = 21;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int nx = sizes[calls][0], nh = sizes[calls][1];
        for (int i = 0; i < MAX; i++) {
            state = state * 1103515245u + 12345u;
            x[i] = (int16_t)((int)(state >> 20) - 2048);
            state = state * 1103515245u + 12345u;
            h[i] = (int16_t)((int)(state >> 20) - 2048);
        }
        for (int i = 0; i < 2 * MAX; i++)
            y[i] = -77;
        convolution(x, nx, h, nh, y);
        const int ny = nx && nh ? nx + nh - 1 : 0;
        for (int i = ny; i < 2 * MAX; i++)
            bad += y[i] != -77;
        // Polynomials: the product's value at a point is the product of the values, modulo a prime, at ten points.
        const int64_t p = 1000003;
        for (int64_t at = 2; ny > 0 && at < 12; at++) {
            int64_t px = 0, ph = 0, py = 0;
            for (int i = nx - 1; i >= 0; i--)
                px = (px * at + x[i] + p) % p;
            for (int i = nh - 1; i >= 0; i--)
                ph = (ph * at + h[i] + p) % p;
            for (int i = ny - 1; i >= 0; i--)
                py = ((py * at + y[i]) % p + p) % p;
            bad += px * ph % p != py;
        }
    }
    printf("convolution: %d pairs, %d wrong\n", calls, bad);
    return bad != 0;
}
