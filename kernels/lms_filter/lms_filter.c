// DSP: adaptive FIR filter by least mean squares, identifies an unknown system.
// Widrow and Hoff 1960. The taps that one sample's dot product reads are those that the sample before has changed: two
// loops over one array in each iteration, and a circular delay line indexed with a mask.
#include "loom.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#define TAPS 16

struct lms {
    float weight[TAPS];
    float delay[TAPS];
    unsigned head;
};

LOOM_ACCEL void lms(struct lms *f, const float *restrict x, const float *restrict desired, float *restrict error,
                    int n, float rate)
{
    for (int i = 0; i < n; i++) {
        f->head = (f->head - 1) & (TAPS - 1);
        f->delay[f->head] = x[i];
        float y = 0.0f;
        for (unsigned k = 0; k < TAPS; k++)
            y += f->weight[k] * f->delay[(f->head + k) & (TAPS - 1)];
        const float e = desired[i] - y;
        for (unsigned k = 0; k < TAPS; k++) {
            LOOM_INDEPENDENT;
            f->weight[k] += rate * e * f->delay[(f->head + k) & (TAPS - 1)];
        }
        error[i] = e;
    }
}

#define N 600

int main(void)
{
    static const float unknown[5] = {0.5f, -0.25f, 0.0f, 0.125f, 0.75f};
    static const int pieces[] = {0, 1, 199, 400};
    static float x[N], desired[N], error[N];
    struct lms f = {{0.0f}, {0.0f}, 0};
    uint32_t state = 15;
    int bad = 0, done = 0;
    for (int i = 0; i < N; i++) {
        state = state * 22695477u + 1u;
        x[i] = (float)(state >> 16 & 0x7fff) / 16384.0f - 1.0f;
        for (int k = 0; k < 5 && k <= i; k++)
            desired[i] += unknown[k] * x[i - k];
    }
    for (unsigned k = 0; k < sizeof pieces / sizeof pieces[0]; k++) {
        lms(&f, x + done, desired + done, error + done, pieces[k], 0.1f);
        done += pieces[k];
    }
    // It has found the unknown system and predicts it.
    bad += error[0] != desired[0];
    for (int k = 0; k < TAPS; k++)
        bad += !(fabsf(f.weight[k] - (k < 5 ? unknown[k] : 0.0f)) < 1e-2f);
    for (int i = N - 50; i < N; i++)
        bad += !(fabsf(error[i]) < 1e-2f);
    // Before it has learned, the error is large.
    float early = 0.0f;
    for (int i = 0; i < 20; i++)
        early = fmaxf(early, fabsf(error[i]));
    bad += !(early > 0.2f);
    printf("lms_filter: %d samples, %d wrong\n", done, bad);
    return bad != 0;
}
