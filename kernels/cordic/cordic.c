// Fixed point: sine and cosine by CORDIC rotations, angles as 32-bit fractions of a turn, results in 2.30.
// Volder 1959. Shifts by the loop's own index, additions whose sign depends on the angle that is left, a table of
// constants, and quadrants folded before and after.
#include "loom.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#define STEPS 28

// Filled by main: atan(2^-i) as a fraction of a turn, times 2^32.
static int32_t angles[STEPS];

LOOM_ACCEL void cordic(const uint32_t *restrict phase, int n, int32_t gain, int32_t *restrict sine, int32_t *restrict cosine)
{
    for (int k = 0; k < n; k++) {
        LOOM_INDEPENDENT;
        uint32_t folded = phase[k];
        const int back = (folded + 0x40000000u) >> 31;
        if (back)
            folded += 0x80000000u;
        int32_t z = folded < 0x80000000u ? (int32_t)folded : -(int32_t)(~folded) - 1;
        int32_t x = gain, y = 0;
        for (int i = 0; i < STEPS; i++) {
            const int32_t dx = y >> i, dy = x >> i;
            if (z >= 0) {
                x -= dx;
                y += dy;
                z -= angles[i];
            } else {
                x += dx;
                y -= dy;
                z += angles[i];
            }
        }
        sine[k] = back ? -y : y;
        cosine[k] = back ? -x : x;
    }
}

#define N 100

int main(void)
{
    static uint32_t phase[N];
    static int32_t sine[N + 1], cosine[N + 1];
    static const int sizes[] = {N, 0, 1, 40};
    const double tau = 6.283185307179586;
    double gain = 1.0;
    int bad = 0, calls = 0;
    for (int i = 0; i < STEPS; i++) {
        angles[i] = (int32_t)lrint(atan(ldexp(1.0, -i)) / tau * 4294967296.0);
        gain /= sqrt(1.0 + ldexp(1.0, -2 * i));
    }
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int n = sizes[calls];
        for (int k = 0; k < N; k++)
            phase[k] = k < 16 ? (uint32_t)k << 28 : k < 20 ? 0u - (uint32_t)(k - 17) : (uint32_t)k * 2654435761u;
        sine[n] = cosine[n] = 1;
        cordic(phase, n, (int32_t)lrint(gain * 1073741824.0), sine, cosine);
        bad += sine[n] != 1 || cosine[n] != 1;
        for (int k = 0; k < n; k++) {
            const double angle = tau * phase[k] / 4294967296.0;
            bad += !(fabs(sin(angle) - sine[k] / 1073741824.0) < 1e-7);
            bad += !(fabs(cos(angle) - cosine[k] / 1073741824.0) < 1e-7);
        }
    }
    printf("cordic: %d calls, %d values wrong\n", calls, bad);
    return bad != 0;
}
