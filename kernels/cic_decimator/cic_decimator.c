// DSP: cascaded integrator-comb decimator, three stages, 64-bit arithmetic that wraps on purpose.
// Hogenauer 1981; behind every sigma-delta converter. Three running sums in a chain, and every R-th one goes through three
// differences; state lives in a structure between calls.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

#define STAGES 3

struct cic {
    uint64_t integrator[STAGES];
    uint64_t comb[STAGES];
    uint32_t phase;
};

// Returns how many samples came out.
LOOM_ACCEL unsigned cic_decimate(struct cic *restrict s, unsigned ratio, const int16_t *restrict in, unsigned n,
                                 int64_t *restrict out)
{
    unsigned made = 0;
    for (unsigned i = 0; i < n; i++) {
        uint64_t v = (uint64_t)(int64_t)in[i];
        for (int k = 0; k < STAGES; k++) {
            LOOM_UNROLL(3);
            s->integrator[k] += v;
            v = s->integrator[k];
        }
        if (++s->phase < ratio)
            continue;
        s->phase = 0;
        for (int k = 0; k < STAGES; k++) {
            LOOM_UNROLL(3);
            uint64_t held = s->comb[k];
            s->comb[k] = v;
            v -= held;
        }
        out[made++] = (int64_t)v;
    }
    return made;
}

#define N 1200
#define RATIO 8

int main(void)
{
    static int16_t in[N];
    static int64_t out[N / RATIO + 1], box[3][N];
    static const unsigned pieces[] = {0, 1, 300, 7, 512, 380};
    // The integrators start next to overflow: the differences must not see it.
    struct cic s = {{UINT64_MAX - 5, UINT64_MAX / 2 - 9, 0}, {0, 0, 0}, 0};
    uint32_t state = 4;
    unsigned made = 0, done = 0;
    int bad = 0;
    for (int i = 0; i < N; i++) {
        state = state * 1664525u + 1013904223u;
        in[i] = (int16_t)((int)(state >> 16) - 32768);
    }
    for (unsigned k = 0; k < sizeof pieces / sizeof pieces[0]; k++) {
        made += cic_decimate(&s, RATIO, in + done, pieces[k], out + made);
        done += pieces[k];
    }
    // The same as three moving sums of RATIO samples, one after another, of which every RATIO-th is kept.
    for (int stage = 0; stage < 3; stage++)
        for (int i = 0; i < N; i++) {
            box[stage][i] = 0;
            for (int k = 0; k < RATIO && k <= i; k++)
                box[stage][i] += stage == 0 ? in[i - k] : box[stage - 1][i - k];
        }
    bad += made != done / RATIO || done != N;
    // What the integrators held at first has left the filter after three outputs.
    for (unsigned k = 3; k < made; k++)
        bad += out[k] != box[2][k * RATIO + RATIO - 1];
    printf("cic_decimator: %u samples to %u, %d wrong\n", done, made, bad);
    return bad != 0;
}
