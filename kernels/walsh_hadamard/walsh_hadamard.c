// DSP: fast Walsh-Hadamard transform in place, 32-bit integers.
// Used in CDMA and in feature hashing. Butterflies whose stride doubles, without multiplications; three nested loops with
// steps that are not one, over two places of one array.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define MAX 512

LOOM_ACCEL void walsh_hadamard(int32_t *v, uint32_t n)
{
    for (uint32_t half = 1; half < n; half *= 2) {
        LOOM_TRIP(0, 9);
        for (uint32_t base = 0; base < n; base += 2 * half) {
            LOOM_INDEPENDENT;
            for (uint32_t i = base; i < base + half; i++) {
                LOOM_INDEPENDENT;
                const int32_t a = v[i], b = v[i + half];
                v[i] = a + b;
                v[i + half] = a - b;
            }
        }
    }
}

static int ones(uint32_t v)
{
    int n = 0;
    for (; v; v &= v - 1)
        n++;
    return n;
}

int main(void)
{
    static const uint32_t sizes[] = {MAX, 0, 1, 2, 32};
    static int32_t v[MAX], before[MAX];
    uint32_t state = 50;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const uint32_t n = sizes[calls];
        for (uint32_t i = 0; i < MAX; i++) {
            state = state * 1664525u + 1013904223u;
            v[i] = before[i] = (int32_t)(state >> 12) - (1 << 19);
        }
        walsh_hadamard(v, n);
        // Some coefficients by definition: the sign is the parity of the common bits.
        for (uint32_t k = 0; k < n; k += 1 + n / 19) {
            int32_t want = 0;
            for (uint32_t i = 0; i < n; i++)
                want += ones(i & k) % 2 ? -before[i] : before[i];
            bad += v[k] != want;
        }
        // Twice gives n times the input.
        walsh_hadamard(v, n);
        for (uint32_t i = 0; i < n; i++)
            bad += v[i] != before[i] * (int32_t)n;
        bad += memcmp(v + n, before + n, (MAX - n) * sizeof v[0]) != 0;
    }
    printf("walsh_hadamard: %d transforms, %d wrong\n", 2 * calls, bad);
    return bad != 0;
}
