// Fixed point: numerically controlled oscillator, quarter-wave table with linear interpolation, and a mixer.
// Software radio. A 32-bit phase that wraps on purpose, its top bits fold the index into one quarter of a sine, the
// middle ones address a table, the low ones interpolate; 16-bit samples saturate.
#include "loom.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#define BITS 6
#define ENTRIES (1 << BITS)

static int16_t quarter[ENTRIES + 1];

static inline int16_t sine(uint32_t phase)
{
    uint32_t fold = phase & 0x40000000u ? 0x40000000u - (phase & 0x3fffffffu) : phase & 0x3fffffffu;
    const uint32_t index = fold >> (30 - BITS), rest = fold >> (14 - BITS) & 0xffff;
    int32_t v = quarter[index];
    if (index < ENTRIES)
        v += (int32_t)(((quarter[index + 1] - v) * (int64_t)rest) >> 16);
    return (int16_t)(phase & 0x80000000u ? -v : v);
}

// Returns the phase to go on with.
LOOM_ACCEL uint32_t mix(uint32_t phase, uint32_t step, const int16_t *restrict in, int16_t *restrict re,
                        int16_t *restrict im, int n)
{
    for (int i = 0; i < n; i++) {
        const int32_t c = in[i] * sine(phase + 0x40000000u) >> 14, s = in[i] * sine(phase) >> 14;
        re[i] = (int16_t)(c > 32767 ? 32767 : c < -32768 ? -32768 : c);
        im[i] = (int16_t)(s > 32767 ? 32767 : s < -32768 ? -32768 : s);
        phase += step;
    }
    return phase;
}

#define N 1000

int main(void)
{
    static const uint32_t steps[] = {123456789u, 0u, 0x40000000u, 0xfff00000u, 3000000001u};
    static int16_t in[N], re[N], im[N];
    int bad = 0, calls = 0;
    for (int i = 0; i <= ENTRIES; i++)
        quarter[i] = (int16_t)lrint(16384.0 * sin(1.5707963267948966 * i / ENTRIES));
    for (; calls < (int)(sizeof steps / sizeof steps[0]); calls++) {
        const uint32_t start = calls == 1 ? 0x80000000u : calls == 4 ? 0xc0000000u : 77777777u;
        const int n = calls == 1 ? 6 : calls == 2 ? 50 : calls == 3 ? 0 : N;
        for (int i = 0; i < N; i++)
            in[i] = (int16_t)(i == 5 ? -32768 : i % 40 * 1600 - 32000 + (i % 7 == 0) * 700);
        const uint32_t end = mix(start, steps[calls], in, re, im, n);
        bad += end != (uint32_t)(start + (uint64_t)steps[calls] * (uint64_t)n);
        for (int i = 0; i < n; i++) {
            const double angle = fmod(start + (double)steps[calls] * i, 4294967296.0) / 4294967296.0 * 6.283185307179586;
            const double c = fmin(32767.0, in[i] * cos(angle)), s = fmin(32767.0, in[i] * sin(angle));
            bad += !(fabs(c - re[i]) < 12.0 && fabs(s - im[i]) < 12.0);
        }
        // Half a turn at full scale does not fit and stays at the end of the range.
        bad += calls == 1 && re[5] != 32767;
    }
    printf("nco: %d blocks, %d wrong\n", calls, bad);
    return bad != 0;
}
