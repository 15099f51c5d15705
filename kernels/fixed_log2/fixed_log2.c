// Fixed point: binary logarithms of 32-bit numbers to 16 fractional bits by repeated squaring.
// Knuth, volume 1, exercise 1.2.2-25; decibel meters. A normalising loop, then one bit for each squaring of a 64-bit
// product; the condition is on the recurrence.
#include "loom.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

// The largest negative number for zero.
LOOM_ACCEL void fixed_log2(const uint32_t *in, int32_t *out, int n)
{
    for (int i = 0; i < n; i++) {
        LOOM_INDEPENDENT;
        uint32_t x = in[i];
        if (x == 0) {
            out[i] = INT32_MIN;
            continue;
        }
        int32_t log = 31 << 16;
        while (!(x & 0x80000000u)) {
            x <<= 1;
            log -= 1 << 16;
        }
        for (int32_t bit = 1 << 15; bit != 0; bit >>= 1) {
            const uint64_t square = (uint64_t)x * x;
            if (square >> 63) {
                x = (uint32_t)(square >> 32);
                log += bit;
            } else {
                x = (uint32_t)(square >> 31);
            }
        }
        out[i] = log;
    }
}

#define N 150

int main(void)
{
    static uint32_t in[N];
    static int32_t out[N + 1];
    static const int sizes[] = {N, 0, 1, 70};
    uint32_t state = 38;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        for (int i = 0; i < N; i++) {
            state = state * 1664525u + 1013904223u;
            in[i] = i < 32 ? 1u << i : i == 32 ? 0 : i == 33 ? UINT32_MAX : state >> (i % 32);
        }
        out[sizes[calls]] = 5;
        fixed_log2(in, out, sizes[calls]);
        bad += out[sizes[calls]] != 5;
        for (int i = 0; i < sizes[calls]; i++) {
            if (in[i] == 0)
                bad += out[i] != INT32_MIN;
            else
                bad += !(fabs(log2(in[i]) - out[i] / 65536.0) < 2.0 / 65536.0);
            bad += i < 32 && out[i] != i << 16;
        }
    }
    printf("fixed_log2: %d lists, %d logarithms wrong\n", calls, bad);
    return bad != 0;
}
