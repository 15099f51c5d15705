// Machine learning: one head of causal self-attention, in single precision, with the streaming form of softmax.
// Vaswani et al. 2017; the running maximum is Milakov and Gimelshein's (2018). A triangular loop over keys whose inner
// loops rescale what was summed before whenever the maximum rises.
#include "loom.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#define DEPTH 8

LOOM_ACCEL void attention(const float q[][DEPTH], const float k[][DEPTH], const float v[][DEPTH], float out[][DEPTH], int n)
{
    const float scale = 1.0f / sqrtf((float)DEPTH);
    for (int i = 0; i < n; i++) {
        LOOM_INDEPENDENT;
        float top = -1e30f, sum = 0.0f, acc[DEPTH] = {0.0f};
        for (int j = 0; j <= i; j++) {
            float score = 0.0f;
            for (int d = 0; d < DEPTH; d++)
                score += q[i][d] * k[j][d];
            score *= scale;
            float keep = 1.0f;
            if (score > top) {
                keep = expf(top - score);
                top = score;
            }
            const float weight = expf(score - top);
            sum = sum * keep + weight;
            for (int d = 0; d < DEPTH; d++)
                acc[d] = acc[d] * keep + weight * v[j][d];
        }
        for (int d = 0; d < DEPTH; d++)
            out[i][d] = acc[d] / sum;
    }
}

#define N 24

typedef const float (*rows)[DEPTH];

int main(void)
{
    static const int sizes[] = {N, 0, 1, 2, 13};
    static float q[N][DEPTH], k[N][DEPTH], v[N][DEPTH], out[N][DEPTH];
    uint32_t state = 62;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int n = sizes[calls];
        for (int i = 0; i < N * DEPTH; i++) {
            state = state * 1664525u + 1013904223u;
            q[i / DEPTH][i % DEPTH] = (float)(state >> 24) / 64.0f - 2.0f;
            k[i / DEPTH][i % DEPTH] = (float)(state >> 16 & 255) / 64.0f - 2.0f;
            v[i / DEPTH][i % DEPTH] = (float)(state >> 8 & 255) / 64.0f - 2.0f;
            out[i / DEPTH][i % DEPTH] = 50.0f;
        }
        attention((rows)q, (rows)k, (rows)v, out, n);
        // All scores first, then the weights.
        for (int i = 0; i < N; i++) {
            double weight[N], sum = 0.0;
            for (int j = 0; j <= i; j++) {
                weight[j] = 0.0;
                for (int d = DEPTH - 1; d >= 0; d--)
                    weight[j] += (double)q[i][d] * k[j][d];
                weight[j] = exp(weight[j] / sqrt((double)DEPTH));
                sum += weight[j];
            }
            for (int d = 0; d < DEPTH; d++) {
                double want = i < n ? 0.0 : 50.0;
                for (int j = 0; i < n && j <= i; j++)
                    want += weight[j] / sum * v[j][d];
                bad += !(fabs(want - out[i][d]) < 1e-4);
            }
        }
    }
    printf("attention: %d heads, %d values wrong\n", calls, bad);
    return bad != 0;
}
