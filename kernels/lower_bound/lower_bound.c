// Searching: many binary searches in one sorted array, first place not below each key.
// Every index of a database. Halving intervals with one load for each step and no branch but the loop's; searches are
// independent of each other, each one is a chain of loads.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

LOOM_ACCEL void lower_bounds(const int64_t *restrict sorted, uint32_t n, const int64_t *restrict keys, uint32_t m,
                             uint32_t *restrict places)
{
    for (uint32_t q = 0; q < m; q++) {
        LOOM_INDEPENDENT;
        const int64_t key = keys[q];
        uint32_t low = 0, high = n;
        while (low < high) {
            LOOM_TRIP(0, 10);
            const uint32_t middle = low + (high - low) / 2;
            if (sorted[middle] < key)
                low = middle + 1;
            else
                high = middle;
        }
        places[q] = low;
    }
}

#define N 700
#define M 300

int main(void)
{
    static const uint32_t sizes[][2] = {{N, M}, {0, 3}, {1, 60}, {5, 0}, {64, 200}};
    static int64_t sorted[N], keys[M];
    static uint32_t places[M];
    uint64_t state = 5;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const uint32_t n = sizes[calls][0], m = sizes[calls][1];
        int64_t last = INT64_MIN + 10;
        for (uint32_t i = 0; i < N; i++) {
            // Steps of zero make equal neighbours; large ones cross the whole range.
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            last += state >> 62 ? (int64_t)(state >> 11) * 2 : 0;
            sorted[i] = last;
        }
        for (uint32_t q = 0; q < m; q++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            keys[q] = q % 3 && n ? sorted[(state >> 33) % n] + (int64_t)(q % 5) - 2 : (int64_t)state;
        }
        if (m > 1) {
            keys[0] = INT64_MIN;
            keys[1] = INT64_MAX;
        }
        for (uint32_t q = 0; q < M; q++)
            places[q] = 12345;
        lower_bounds(sorted, n, keys, m, places);
        for (uint32_t q = 0; q < M; q++) {
            uint32_t below = 0;
            for (uint32_t i = 0; q < m && i < n; i++)
                below += sorted[i] < keys[q];
            bad += places[q] != (q < m ? below : 12345);
        }
    }
    printf("lower_bound: %d batches, %d places wrong\n", calls, bad);
    return bad != 0;
}
