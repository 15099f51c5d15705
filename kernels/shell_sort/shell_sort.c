// Sorting: Shell sort of 16-bit integers with Ciura's gaps.
// Shell 1959. Gaps come from a constant table; the innermost loop moves at a stride that is data to it, and most of its
// activations are very short.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

static const uint16_t gaps[] = {301, 132, 57, 23, 10, 4, 1};

// Returns how many elements were moved.
LOOM_ACCEL uint32_t shell_sort(int16_t *a, uint32_t n)
{
    uint32_t moves = 0;
    for (uint32_t g = 0; g < sizeof gaps / sizeof gaps[0]; g++) {
        const uint32_t gap = gaps[g];
        if (gap >= n)
            continue;
        for (uint32_t i = gap; i < n; i++) {
            const int16_t key = a[i];
            uint32_t j = i;
            for (; j >= gap && a[j - gap] > key; j -= gap) {
                LOOM_TRIP(0, 8);
                a[j] = a[j - gap];
                moves++;
            }
            a[j] = key;
        }
    }
    return moves;
}

#define N 500

int main(void)
{
    static const uint32_t sizes[] = {N, 0, 1, 2, 58, 200};
    static int16_t a[N], before[N];
    uint32_t state = 2;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const uint32_t n = sizes[calls];
        static uint8_t count[65536];
        for (uint32_t i = 0; i < 65536; i++)
            count[i] = 0;
        for (uint32_t i = 0; i < N; i++) {
            state = state * 1103515245u + 12345u;
            a[i] = before[i] = (int16_t)(calls % 2 ? (int)i : (int)(state >> 16) - 32768);
            if (i < n)
                count[before[i] + 32768]++;
        }
        const uint32_t moves = shell_sort(a, n);
        // What is sorted already does not move.
        bad += calls % 2 ? moves != 0 : n > 10 && moves == 0;
        // A counting sort says what comes where.
        uint32_t at = 0;
        for (int v = -32768; v < 32768; v++)
            for (int k = 0; k < count[v + 32768]; k++)
                bad += a[at++] != v;
        for (; at < N; at++)
            bad += a[at] != before[at];
    }
    printf("shell_sort: %d arrays, %d elements wrong\n", calls, bad);
    return bad != 0;
}
