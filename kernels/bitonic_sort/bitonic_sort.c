// Sorting: Batcher's bitonic sorting network, 32-bit integers, length a power of two.
// Batcher 1968. The order of comparisons does not depend on data: partners by exclusive or, all exchanges of one stage
// independent, direction from a bit of the index.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

LOOM_ACCEL void bitonic_sort(int32_t *a, uint32_t n)
{
    for (uint32_t k = 2; k <= n; k <<= 1) {
        for (uint32_t j = k >> 1; j > 0; j >>= 1) {
            for (uint32_t i = 0; i < n; i++) {
                LOOM_INDEPENDENT;
                const uint32_t partner = i ^ j;
                if (partner > i) {
                    const int32_t x = a[i], y = a[partner];
                    if ((x > y) == ((i & k) == 0)) {
                        a[i] = y;
                        a[partner] = x;
                    }
                }
            }
        }
    }
}

#define MAX 128

int main(void)
{
    static int32_t a[MAX], before[MAX];
    uint32_t state = 71;
    int bad = 0, calls = 0;
    for (uint32_t n = 1; n <= MAX; n *= 2, calls++) {
        for (uint32_t i = 0; i < MAX; i++) {
            state = state * 22695477u + 1u;
            before[i] = a[i] = (int32_t)(state >> 16) % 200 - 100;
        }
        bitonic_sort(a, n);
        // Of every value there are as many as before, and none of them stands before a smaller one.
        for (int32_t v = -100; v < 100; v++) {
            int had = 0, has = 0;
            for (uint32_t i = 0; i < n; i++) {
                had += before[i] == v;
                has += a[i] == v;
            }
            bad += had != has;
        }
        for (uint32_t i = 1; i < n; i++)
            bad += a[i - 1] > a[i];
        for (uint32_t i = n; i < MAX; i++)
            bad += a[i] != before[i];
    }
    bitonic_sort(a, 0);
    printf("bitonic_sort: %d arrays, %d wrong\n", calls + 1, bad);
    return bad != 0;
}
