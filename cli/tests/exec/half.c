// Half precision: what the graphs compute is what this machine does with the same lines, bit by bit.
#include "loom.h"
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef _Float16 half;
struct pair {
    half first, second;
};
struct mixed {
    half a, b;
    float wide;
};

static const half table[4] = {0.5f16, -1.25f16, 65504.0f16, 6e-8f16};
static half seen[4];

// Sums in one expression stay in single precision to its end.
static inline half arithmetic(const half *a, const half *b, half *out, int n, half k)
{
    half sum = 0, local[8] = {0};
    for (int i = 0; i < n; i++) {
        sum += a[i] * b[i] - k;
        local[i & 7] -= b[i] / (a[i] + table[i & 3]);
        half least = a[i] < b[i] ? a[i] : -b[i];
        out[i] = local[(i + 3) & 7] * k + __builtin_fabsf16(least) + (half)sqrtf(__builtin_fabsf16(b[i]));
        if (a[i] >= k || a[i] != a[i])
            seen[i & 3] += out[i]++;
    }
    return sum;
}

static inline double conversions(const half *a, int64_t *out, half *back, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        half p = __builtin_fabsf16(a[i]);
        int64_t part[8] = {(int8_t)(a[i] / 1024), (uint8_t)(p / 512), (int16_t)(a[i] / 4), (uint16_t)p,
                           (int32_t)a[i],         (uint32_t)p,        (int64_t)a[i],       (bool)p};
        uint16_t bits;
        memcpy(&bits, &a[i], sizeof bits);
        out[i] = bits;
        back[i] = 0;
        for (int k = 0; k < 8; k++) {
            out[i] = out[i] * 31 + part[k];
            back[i] += (half)part[k] - (half)(int8_t)part[k] * (half)(uint16_t)part[k];
        }
        sum += (double)a[i] - (half)(1.0 / i) + (half)(sum * 0.7);
    }
    return sum;
}

// The other half precision is one of memory alone.
static inline float storage(const __fp16 *a, __fp16 *b, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i++) {
        sum += a[i] * 0.3f;
        b[i] = sum;
    }
    return sum;
}

static inline struct pair structs(const struct mixed *m, struct pair *out, int n, half k)
{
    struct pair sum = {k, 0};
    for (int i = 0; i < n; i++) {
        out[i] = (struct pair){m[i].b, (half)m[i].wide};
        sum.first += m[i].a;
        if (m[i].wide > (float)m[i].b)
            sum.second = sum.first - m[i].b;
    }
    return sum;
}

LOOM_ACCEL half arithmetic_f(const half *a, const half *b, half *out, int n, half k) { return arithmetic(a, b, out, n, k); }
LOOM_ACCEL double conversions_f(const half *a, int64_t *out, half *back, int n) { return conversions(a, out, back, n); }
LOOM_ACCEL float storage_f(const __fp16 *a, __fp16 *b, int n) { return storage(a, b, n); }
LOOM_ACCEL struct pair structs_f(const struct mixed *m, struct pair *out, int n, half k) { return structs(m, out, n, k); }

#define N 64

// Halves that differ; all that are not numbers are one.
static int differ(const half *a, const half *b, int n)
{
    int bad = 0;
    for (int i = 0; i < n; i++)
        bad += memcmp(a + i, b + i, sizeof *a) != 0 && (a[i] == a[i] || b[i] == b[i]);
    return bad;
}

int main(void)
{
    uint32_t state = 7;
    int bad = 0;
    for (int round = 0; round < 20; round++) {
        half a[2][N], out[2][N], start[4], kept[4];
        struct mixed m[N];
        for (int i = 0; i < 2 * N; i++) {
            state = state * 1664525u + 1013904223u;
            // Numbers around one, then any that are finite.
            uint16_t bits = (uint16_t)(round < 12 ? ((state >> 16) & 0x8fff) | 0x3000 : state >> 16);
            if ((bits & 0x7c00) == 0x7c00)
                bits ^= 0x4000;
            memcpy(&a[i / N][i % N], &bits, sizeof bits);
            m[i % N] = (struct mixed){a[0][i % N], a[i / N][i % N], (float)state / 65536.0f};
        }
        const half k = a[1][round];
        memcpy(start, seen, sizeof seen);
        half got = arithmetic_f(a[0], a[1], out[0], N, k);
        memcpy(kept, seen, sizeof seen);
        memcpy(seen, start, sizeof seen);
        half want = arithmetic(a[0], a[1], out[1], N, k);
        bad += differ(&got, &want, 1) + differ(out[0], out[1], N) + differ(kept, seen, 4);

        int64_t number[2][N];
        double sums[2] = {conversions_f(a[0], number[0], out[0], N), conversions(a[0], number[1], out[1], N)};
        bad += memcmp(number[0], number[1], sizeof *number) != 0;
        bad += (sums[0] != sums[1] && sums[0] == sums[0]) + differ(out[0], out[1], N);

        __fp16 stored[2][N];
        bad += storage_f((const __fp16 *)a[1], stored[0], N) != storage((const __fp16 *)a[1], stored[1], N);
        bad += memcmp(stored[0], stored[1], sizeof *stored) != 0;

        struct pair pairs[2][N], last[2] = {structs_f(m, pairs[0], N, k), structs(m, pairs[1], N, k)};
        bad += differ(&last[0].first, &last[1].first, 2) + differ(&pairs[0][0].first, &pairs[1][0].first, 2 * N);
    }
    printf("%d wrong\n", bad);
    return bad != 0;
}
