// Bit tricks: Morton codes of points, and back.
// Z-order curves in spatial indices and textures. Shifts and masks only, all iterations independent; 16-bit coordinates go
// into 32-bit codes and come out of them again.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

static inline uint32_t spread(uint32_t v)
{
    v = (v | v << 8) & 0x00ff00ffu;
    v = (v | v << 4) & 0x0f0f0f0fu;
    v = (v | v << 2) & 0x33333333u;
    return (v | v << 1) & 0x55555555u;
}

static inline uint32_t gather(uint32_t v)
{
    v &= 0x55555555u;
    v = (v | v >> 1) & 0x33333333u;
    v = (v | v >> 2) & 0x0f0f0f0fu;
    v = (v | v >> 4) & 0x00ff00ffu;
    return (v | v >> 8) & 0x0000ffffu;
}

// Bits of x at the even places, those of y at the odd ones.
LOOM_ACCEL void morton(const uint16_t *restrict x, const uint16_t *restrict y, uint32_t *restrict code, int n)
{
    for (int i = 0; i < n; i++) {
        LOOM_INDEPENDENT;
        LOOM_UNROLL(2);
        code[i] = spread(x[i]) | spread(y[i]) << 1;
    }
}

LOOM_ACCEL void unmorton(const uint32_t *restrict code, uint16_t *restrict x, uint16_t *restrict y, int n)
{
    for (int i = 0; i < n; i++) {
        LOOM_INDEPENDENT;
        x[i] = (uint16_t)gather(code[i]);
        y[i] = (uint16_t)gather(code[i] >> 1);
    }
}

#define N 1200

int main(void)
{
    static uint16_t x[N], y[N], u[N], v[N];
    static uint32_t code[N];
    static const int sizes[] = {N, 0, 1, 100};
    uint32_t state = 44;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int n = sizes[calls];
        for (int i = 0; i < N; i++) {
            state = state * 1664525u + 1013904223u;
            x[i] = (uint16_t)(i == 0 ? 0xffff : state >> 16);
            y[i] = (uint16_t)(i == 1 ? 0xffff : state >> 3);
            code[i] = u[i] = v[i] = 9;
        }
        morton(x, y, code, n);
        unmorton(code, u, v, n);
        for (int i = 0; i < N; i++) {
            uint32_t want = 0;
            for (int bit = 0; bit < 16; bit++)
                want += (uint32_t)(x[i] >> bit & 1) << 2 * bit | (uint32_t)(y[i] >> bit & 1) << (2 * bit + 1);
            bad += i < n ? code[i] != want || u[i] != x[i] || v[i] != y[i] : code[i] != 9 || u[i] != 9 || v[i] != 9;
        }
    }
    printf("morton: %d lists, %d codes wrong\n", calls, bad);
    return bad != 0;
}
