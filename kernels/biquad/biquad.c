// DSP: a cascade of second-order IIR sections in transposed direct form II, in place.
// Every audio equaliser. The sections' coefficients and states are an array of structures; each sample waits for the state
// that the one before left, so the interval is the length of that recurrence.
#include "loom.h"

#include <math.h>
#include <stdio.h>

struct section {
    float b0, b1, b2, a1, a2;
    float z1, z2;
};

LOOM_ACCEL void biquad(struct section *s, int sections, float *x, int n)
{
    for (int k = 0; k < sections; k++, s++) {
        float z1 = s->z1, z2 = s->z2;
        for (int i = 0; i < n; i++) {
            const float in = x[i];
            const float out = s->b0 * in + z1;
            z1 = s->b1 * in - s->a1 * out + z2;
            z2 = s->b2 * in - s->a2 * out;
            x[i] = out;
        }
        s->z1 = z1;
        s->z2 = z2;
    }
}

#define N 1000
#define SECTIONS 4

// The same filter in direct form I and double precision, over all the samples so far.
static void direct(const struct section *s, double *x, int n)
{
    double x1 = 0.0, x2 = 0.0, y1 = 0.0, y2 = 0.0;
    for (int i = 0; i < n; i++) {
        const double now = x[i];
        const double y = s->b0 * now + s->b1 * x1 + s->b2 * x2 - s->a1 * y1 - s->a2 * y2;
        x2 = x1;
        x1 = now;
        y2 = y1;
        y1 = y;
        x[i] = y;
    }
}

int main(void)
{
    // Poles at radius r and angle t: a1 = -2 r cos t, a2 = r^2.
    struct section s[SECTIONS];
    static float x[N];
    static double want[N];
    int bad = 0, calls = 0, done = 0;
    static const int pieces[] = {1, 0, 300, 163, 450, 2};
    for (int k = 0; k < SECTIONS; k++) {
        const float r = 0.6f + 0.09f * (float)k;
        s[k] = (struct section){0.5f, 0.25f * (float)k, -0.3f, -2.0f * r * cosf(0.4f + (float)k), r * r, 0.0f, 0.0f};
    }
    for (int i = 0; i < N; i++)
        want[i] = x[i] = (float)((i * 37 + i * i % 11) % 64) / 32.0f - 1.0f;
    for (; calls < (int)(sizeof pieces / sizeof pieces[0]); calls++) {
        biquad(s, SECTIONS, x + done, pieces[calls]);
        done += pieces[calls];
    }
    for (int k = 0; k < SECTIONS; k++)
        direct(&s[k], want, done);
    for (int i = 0; i < N; i++) {
        const double unfiltered = (float)((i * 37 + i * i % 11) % 64) / 32.0f - 1.0f;
        bad += !(fabs(x[i] - (i < done ? want[i] : unfiltered)) < 1e-3);
    }
    printf("biquad: %d pieces, %d samples wrong\n", calls, bad);
    return bad != 0;
}
