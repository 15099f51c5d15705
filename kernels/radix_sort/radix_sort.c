// Sorting: least-significant-digit radix sort of 32-bit keys, 4 bits a pass.
// Database engines. Each pass counts, sums the counts, and scatters through them: reads, changes and writes of counters at
// places that data choose, and two buffers that swap their roles.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

LOOM_ACCEL void radix_sort(uint32_t *keys, uint32_t *spare, uint32_t n)
{
    uint32_t *from = keys, *to = spare;
    for (uint32_t shift = 0; shift < 32; shift += 4) {
        uint32_t count[16];
        memset(count, 0, sizeof count);
        for (uint32_t i = 0; i < n; i++)
            count[from[i] >> shift & 15]++;
        uint32_t place = 0;
        for (uint32_t d = 0; d < 16; d++) {
            const uint32_t c = count[d];
            count[d] = place;
            place += c;
        }
        for (uint32_t i = 0; i < n; i++)
            to[count[from[i] >> shift & 15]++] = from[i];
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
}

#define N 240

int main(void)
{
    static const uint32_t sizes[] = {N, 0, 1, 2, 33};
    static uint32_t keys[N], before[N], spare[N];
    uint32_t state = 19;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const uint32_t n = sizes[calls];
        for (uint32_t i = 0; i < N; i++) {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            keys[i] = before[i] = i % 3 ? state : state >> 20;
        }
        radix_sort(keys, spare, n);
        for (uint32_t i = n; i < N; i++)
            bad += keys[i] != before[i];
        // A selection sort of the original: the smallest that is left comes next.
        for (uint32_t i = 0; i < n; i++) {
            uint32_t least = i;
            for (uint32_t j = i + 1; j < n; j++)
                if (before[j] < before[least])
                    least = j;
            const uint32_t t = before[i];
            before[i] = before[least];
            before[least] = t;
            bad += keys[i] != before[i];
        }
    }
    printf("radix_sort: %d arrays, %d keys wrong\n", calls, bad);
    return bad != 0;
}
