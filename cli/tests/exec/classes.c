// What kinds of numbers there are, in both precisions: as this machine says.
#include "loom.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define KINDS(x)                                                                                            \
    (isnan(x) | isinf(x) << 1 | (isfinite(x) != 0) << 2 | (isnormal(x) != 0) << 3 | (signbit(x) != 0) << 4 | \
     (__builtin_isfpclass(x, 0x004) != 0) << 5 | (__builtin_isfpclass(x, 0x0a1) != 0) << 6 |                \
     (__builtin_isfpclass(x, 0x253) != 0) << 7 | (__builtin_isfpclass(x, 0x001) != 0) << 8 |                \
     (__builtin_isfpclass(x, 0x01a) != 0) << 9 | (__builtin_isfpclass(x, 0x3fe) != 0) << 10)

LOOM_ACCEL void doubles(const double *restrict x, int *restrict kinds, int n)
{
    for (int i = 0; i < n; i++)
        kinds[i] = KINDS(x[i]);
}

LOOM_ACCEL void floats(const float *restrict x, int *restrict kinds, int n)
{
    for (int i = 0; i < n; i++)
        kinds[i] = KINDS(x[i]);
}

enum { COUNT = 20 };

int main(void)
{
    // Magnitudes: zero, subnormal and normal ones at their ends, infinity, NaNs of either kind.
    static const uint64_t of_double[] = {
        0, 1, 0xfffffffffffff, 0x10000000000000, 0x3ff0000000000000, 0x7fefffffffffffff, 0x7ff0000000000000,
        0x7ff0000000000001, 0x7ff7ffffffffffff, 0x7ff8000000000000};
    static const uint32_t of_float[] = {0, 1, 0x7fffff, 0x800000, 0x3f800000, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fbfffff, 0x7fc00000};
    double x[COUNT];
    float y[COUNT];
    for (int i = 0; i < COUNT; i++) {
        uint64_t wide = of_double[i / 2] | (uint64_t)(i & 1) << 63;
        uint32_t narrow = of_float[i / 2] | (uint32_t)(i & 1) << 31;
        memcpy(&x[i], &wide, 8);
        memcpy(&y[i], &narrow, 4);
    }
    int a[COUNT], b[COUNT], bad = 0;
    doubles(x, a, COUNT);
    floats(y, b, COUNT);
    for (int i = 0; i < COUNT; i++)
        bad += (a[i] != KINDS(x[i])) + (b[i] != KINDS(y[i]));
    printf("%d wrong\n", bad);
    return bad;
}
