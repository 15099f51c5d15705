// State behind a pointer, which every iteration of a loop reads and writes: the loop carries it, unless it has no iteration, and then
// nothing behind the pointer is touched. A truth value as a sign in a byte.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

#define N 40

struct state {
    uint64_t sum, sums;
    uint32_t phase;
};

// Two sums, one of the other, and a phase that some iterations turn back.
LOOM_ACCEL uint32_t decimate(struct state *restrict s, uint32_t ratio, const int16_t *restrict in, uint32_t n,
                             int64_t *restrict out)
{
    uint32_t made = 0;
    for (uint32_t i = 0; i < n; i++) {
        s->sum += (uint64_t)(int64_t)in[i];
        s->sums += s->sum;
        if (++s->phase < ratio)
            continue;
        s->phase = 0;
        out[made++] = (int64_t)s->sums;
    }
    return made;
}

// Counts down, and looks at its word only when the value has changed.
LOOM_ACCEL void fold(int32_t *restrict best, const int32_t *restrict v, int64_t from, int64_t to)
{
    for (int64_t i = from; i > to; i -= 3) {
        int32_t now = *best ^ v[i];
        *best = now;
        if (now & 1)
            *best = now >> 1;
    }
}

// Which way a byte goes: -1, 0 or 1.
LOOM_ACCEL void steps(const uint8_t *restrict v, int8_t *restrict way, int32_t n)
{
    for (int32_t i = 1; i < n; i++) {
        int8_t d = 0;
        if (v[i - 1] > v[i])
            d = -1;
        if (v[i - 1] < v[i])
            d = 1;
        way[i] = d;
    }
}

int main(void)
{
    static int16_t in[N];
    static int32_t v[N];
    static uint8_t bytes[N];
    static int8_t way[N];
    int64_t out[N], wrong = 0;
    for (int i = 0; i < N; i++) {
        in[i] = (int16_t)(i * 1237 - 9000);
        v[i] = i * 7919 ^ 0x55;
        bytes[i] = (uint8_t)(i * i * 29);
    }

    static const uint32_t pieces[] = {0, 1, 17, 0, 22};
    struct state s = {5, 7, 1}, t = s;
    uint32_t at = 0;
    for (unsigned p = 0; p < sizeof pieces / sizeof *pieces; at += pieces[p++]) {
        uint32_t made = decimate(pieces[p] ? &s : NULL, 4, in + at, pieces[p], out), expected = 0;
        for (uint32_t i = at; i < at + pieces[p]; i++) {
            t.sum += (uint64_t)(int64_t)in[i];
            t.sums += t.sum;
            if (++t.phase == 4) {
                t.phase = 0;
                wrong += out[expected++] != (int64_t)t.sums;
            }
        }
        wrong += made != expected || s.sum != t.sum || s.sums != t.sums || s.phase != t.phase;
    }

    int32_t best = 77, b = best;
    static const int64_t ends[][2] = {{39, -1}, {3, 3}, {0, 5}, {12, 7}};
    for (unsigned e = 0; e < 4; e++) {
        fold(ends[e][0] > ends[e][1] ? &best : NULL, v, ends[e][0], ends[e][1]);
        for (int64_t i = ends[e][0]; i > ends[e][1]; i -= 3) {
            b ^= v[i];
            b = b & 1 ? b >> 1 : b;
        }
        wrong += best != b;
    }

    steps(bytes, way, N);
    for (int i = 1; i < N; i++)
        wrong += way[i] != (bytes[i - 1] < bytes[i]) - (bytes[i - 1] > bytes[i]);
    printf("%d wrong\n", (int)wrong);
    return wrong != 0;
}
