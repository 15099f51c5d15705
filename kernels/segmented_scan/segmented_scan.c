// Scans: running sums that start anew at each flag, 64-bit sums of 32-bit values, exclusive.
// Blelloch 1990; run-time systems for irregular parallelism. A carried sum that a flag resets, the total of each segment
// written at a place that counts up.
#include "loom.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// Returns the number of segments; totals get one entry for each.
LOOM_ACCEL int segmented_scan(const int32_t *restrict in, const bool *restrict flag, int n, int64_t *restrict out,
                              int64_t *restrict totals)
{
    int64_t sum = 0;
    int segments = 0;
    for (int i = 0; i < n; i++) {
        if (flag[i] && i > 0) {
            totals[segments++] = sum;
            sum = 0;
        }
        out[i] = sum;
        sum += in[i];
    }
    if (n > 0)
        totals[segments++] = sum;
    return segments;
}

#define N 1800

int main(void)
{
    static int32_t in[N];
    static bool flag[N];
    static int64_t out[N], totals[N];
    static const int sizes[] = {N, 0, 1, 2, 400};
    uint32_t state = 34;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int n = sizes[calls];
        for (int i = 0; i < N; i++) {
            state = state * 1664525u + 1013904223u;
            in[i] = i % 2 ? INT32_MAX - (int32_t)(state >> 20) : (int32_t)state;
            flag[i] = state >> 25 == 3 || (calls == 4 && i % 3 == 0);
        }
        const int segments = segmented_scan(in, flag, n, out, totals);
        // Differences of the result give the input, and each segment begins with zero.
        int seen = 0;
        for (int i = 0; i < n; i++) {
            const bool last = i + 1 == n || flag[i + 1];
            if (i == 0 || flag[i])
                bad += out[i] != 0;
            bad += (last ? totals[seen] : out[i + 1]) - out[i] != in[i];
            seen += last;
        }
        bad += seen != segments;
    }
    printf("segmented_scan: %d scans, %d values wrong\n", calls, bad);
    return bad != 0;
}
