// DSP: Goertzel's algorithm, the power of a few single frequencies, for dialling tones.
// Goertzel 1958. A second-order recurrence over integer samples that become floats; the sign of each bin's answer picks
// the strongest one, which is the result.
#include "loom.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#define BINS 8

LOOM_ACCEL int goertzel(const int16_t *samples, int n, const float coefficient[BINS], float power[BINS])
{
    int strongest = -1;
    float most = 0.0f;
    for (int b = 0; b < BINS; b++) {
        const float c = coefficient[b];
        float s1 = 0.0f, s2 = 0.0f;
        for (int i = 0; i < n; i++) {
            float s = c * s1 - s2 + (float)samples[i];
            s2 = s1;
            s1 = s;
        }
        power[b] = s1 * s1 + s2 * s2 - c * s1 * s2;
        if (power[b] > most) {
            most = power[b];
            strongest = b;
        }
    }
    return strongest;
}

int main(void)
{
    static const double hertz[BINS] = {697, 770, 852, 941, 1209, 1336, 1477, 1633};
    static const int sizes[] = {205, 0, 1, 102};
    static int16_t samples[205];
    const double tau = 6.283185307179586, rate = 8000.0;
    float coefficient[BINS], power[BINS];
    int bad = 0, calls = 0;
    for (int b = 0; b < BINS; b++)
        coefficient[b] = (float)(2.0 * cos(tau * hertz[b] / rate));
    for (int tone = 0; tone < BINS; tone++) {
        const int n = sizes[tone % 4];
        for (int i = 0; i < n; i++)
            samples[i] = (int16_t)lrint(9000.0 * sin(tau * hertz[tone] * i / rate + 0.7));
        const int found = goertzel(samples, n, coefficient, power);
        bad += found != (n == 0 ? -1 : n == 1 ? 0 : tone);
        calls++;
        // |X|^2 from the definition of the transform.
        for (int b = 0; b < BINS; b++) {
            double re = 0.0, im = 0.0;
            for (int i = 0; i < n; i++) {
                re += samples[i] * cos(tau * hertz[b] / rate * i);
                im -= samples[i] * sin(tau * hertz[b] / rate * i);
            }
            const double want = re * re + im * im, scale = 1e3 + (double)n * n * 8.1e7;
            bad += !(fabs(want - power[b]) < 1e-3 * scale);
        }
    }
    printf("goertzel: %d blocks, %d answers wrong\n", calls, bad);
    return bad != 0;
}
