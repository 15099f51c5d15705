// Image: exposure in floats, bytes to bytes, with clipped pixels counted.
// Bytes become floats and floats become bytes, signed bytes and unsigned words, each of them cut towards zero.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

LOOM_ACCEL unsigned exposure(const uint8_t *restrict in, int n, float gain, float lift, uint8_t *restrict out,
                             int8_t *restrict change, unsigned *restrict energy)
{
    unsigned clipped = 0;
    for (int i = 0; i < n; i++) {
        float v = gain * (float)in[i] + lift;
        if (v > 255.0f) {
            v = 255.0f;
            clipped++;
        }
        if (v < 0.0f)
            v = 0.0f;
        out[i] = (uint8_t)v;
        change[i] = (int8_t)((v - (float)in[i]) * 0.5f);
        energy[i] = (unsigned)(v * v * 60000.0f);
    }
    return clipped;
}

enum { PIXELS = 300 };

int main(void)
{
    uint8_t in[PIXELS], out[PIXELS];
    int8_t change[PIXELS];
    unsigned energy[PIXELS];
    for (int i = 0; i < PIXELS; i++)
        in[i] = (uint8_t)(i * 89 + i / 7);
    const float gains[] = {0.5f, 1.0f, 1.75f}, lifts[] = {40.0f, -12.5f, -3.0f};
    int wrong = 0;
    for (int k = 0; k < 3; k++) {
        const unsigned clipped = exposure(in, PIXELS, gains[k], lifts[k], out, change, energy);
        unsigned above = 0;
        for (int i = 0; i < PIXELS; i++) {
            // Quarters are exact, so doubles say the same.
            const double raw = (double)gains[k] * in[i] + (double)lifts[k];
            const double v = raw > 255 ? 255 : raw < 0 ? 0 : raw;
            above += raw > 255;
            wrong += out[i] != (int)v;
            wrong += change[i] != (int)((v - in[i]) / 2);
            const double wanted = v * v * 60000, got = energy[i];
            wrong += got > wanted * 1.000001 + 1 || got < wanted * 0.999999 - 1;
        }
        wrong += clipped != above;
    }
    printf("exposure: %d values wrong\n", wrong);
    return wrong != 0;
}
