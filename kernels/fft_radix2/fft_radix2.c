// DSP: complex fast Fourier transform in place, radix 2, decimation in time, single precision.
// Cooley and Tukey 1965. A bit-reversal permutation by a carry that runs the wrong way, butterflies at a stride that
// doubles, and twiddle factors from a table of the caller's.
#include "loom.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#define MAX 256

typedef struct {
    float re, im;
} cplx;

LOOM_ACCEL void fft(cplx *x, const cplx *twiddle, int n)
{
    for (int i = 1, j = 0; i < n; i++) {
        int bit = n >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            cplx t = x[i];
            x[i] = x[j];
            x[j] = t;
        }
    }
    for (int half = 1; half < n; half <<= 1) {
        const int step = n / (2 * half);
        for (int i = 0; i < n; i += 2 * half) {
            LOOM_INDEPENDENT;
            for (int k = 0; k < half; k++) {
                LOOM_INDEPENDENT;
                const cplx w = twiddle[k * step];
                const cplx a = x[i + k], b = x[i + k + half];
                const cplx p = {b.re * w.re - b.im * w.im, b.re * w.im + b.im * w.re};
                x[i + k] = (cplx){a.re + p.re, a.im + p.im};
                x[i + k + half] = (cplx){a.re - p.re, a.im - p.im};
            }
        }
    }
}

int main(void)
{
    static cplx x[MAX], before[MAX], twiddle[MAX / 2];
    const double tau = 6.283185307179586;
    uint32_t state = 8;
    int bad = 0, calls = 0;
    for (int n = 1; n <= MAX; n *= 4, calls++) {
        for (int i = 0; i < n / 2; i++)
            twiddle[i] = (cplx){(float)cos(tau * i / n), (float)-sin(tau * i / n)};
        for (int i = 0; i < n; i++) {
            state = state * 1664525u + 1013904223u;
            x[i].re = (float)(state >> 16 & 255) / 128.0f - 1.0f;
            x[i].im = (float)(state >> 24) / 128.0f - 1.0f;
            before[i] = x[i];
        }
        fft(x, twiddle, n);
        // The definition, in double precision, with a running power of the root.
        for (int f = 0; f < n; f++) {
            double re = 0.0, im = 0.0;
            for (int t = 0; t < n; t++) {
                const double angle = -tau * ((long)f * t % n) / n;
                re += before[t].re * cos(angle) - before[t].im * sin(angle);
                im += before[t].re * sin(angle) + before[t].im * cos(angle);
            }
            bad += !(fabs(re - x[f].re) < 1e-3 && fabs(im - x[f].im) < 1e-3);
        }
    }
    printf("fft_radix2: %d transforms, %d values wrong\n", calls, bad);
    return bad != 0;
}
