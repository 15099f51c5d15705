// Whole numbers, signs, and products and sums rounded once: as this machine computes them, bit by bit.
#include "loom.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { OPS = 6, COUNT = 24 };

#define ALL(s, x, out) \
    ((out)[0] = floor##s(x), (out)[1] = ceil##s(x), (out)[2] = trunc##s(x), (out)[3] = round##s(x), (out)[4] = rint##s(x), \
     (out)[5] = copysign##s(3, x))

LOOM_ACCEL void floats(const float *restrict x, float *restrict out, int n)
{
    for (int i = 0; i < n; i++)
        ALL(f, x[i], out + OPS * i);
}

LOOM_ACCEL long words(float x, double y) { return lrintf(x) + 1000 * lround(y); }

LOOM_ACCEL float fused(float a, float b, float c) { return fmaf(a, b, c); }

int main(void)
{
    static const float some[COUNT] = {0.0f, 0.25f, 0.5f, 0.75f, 1.0f, 1.5f, 2.5f, 3.49999976f, 0.49999997f, 4194303.5f, 8388607.5f,
                                      8388608.0f, 8388609.0f, 1e30f, 1e-40f, INFINITY, 7.5f, 1e9f, 33.3f, 127.5f, 2.0f, 0.1f, 6.5f, 9.99f};
    int bad = 0;
    for (int sign = 0; sign < 2; sign++) {
        float x[COUNT], out[OPS * COUNT], want[OPS * COUNT];
        for (int i = 0; i < COUNT; i++)
            x[i] = sign ? -some[i] : some[i];
        floats(x, out, COUNT);
        for (int i = 0; i < COUNT; i++)
            ALL(f, x[i], want + OPS * i);
        bad += memcmp(out, want, sizeof out) != 0;
    }
    // The exact sum is just off the middle of two numbers.
    static const float sums[][3] = {{1 + 0x1p-12f, 1 + 0x1p-12f, 0x1p-60f}, {1 + 0x1p-12f, 1 + 0x1p-12f, -0x1p-60f},
                                    {1e30f, 1e30f, -INFINITY}, {3, 7, -21}, {0x1p-100f, 0x1p-49f, 0x1p-149f}};
    for (int i = 0; i < 5; i++) {
        volatile float a = sums[i][0];
        float got = fused(a, sums[i][1], sums[i][2]), want = fmaf(a, sums[i][1], sums[i][2]);
        bad += memcmp(&got, &want, sizeof got) != 0;
    }
    for (int i = 0; i < 11; i++)
        bad += words(-some[i], some[i]) != lrintf(-some[i]) + 1000 * lround(some[i]);
    printf("%d wrong\n", bad);
    return bad;
}
