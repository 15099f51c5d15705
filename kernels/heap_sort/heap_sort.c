// Sorting: heap sort of unsigned 32-bit keys with 16-bit payloads, an array of structures.
// Williams 1964. The walk down the heap chooses between two children by data, breaks out in the middle, and every address
// depends on the choice before: a recurrence through memory with no regular stride.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

struct record {
    uint32_t key;
    uint16_t tag;
};

static inline void sift_down(struct record *a, uint32_t root, uint32_t n)
{
    const struct record moved = a[root];
    for (;;) {
        uint32_t child = 2 * root + 1;
        if (child >= n)
            break;
        if (child + 1 < n && a[child + 1].key > a[child].key)
            child++;
        if (moved.key >= a[child].key)
            break;
        a[root] = a[child];
        root = child;
    }
    a[root] = moved;
}

LOOM_ACCEL void heap_sort(struct record *a, uint32_t n)
{
    for (uint32_t i = n / 2; i-- > 0;)
        sift_down(a, i, n);
    while (n > 1) {
        n--;
        const struct record largest = a[0];
        a[0] = a[n];
        a[n] = largest;
        sift_down(a, 0, n);
    }
}

#define N 300

int main(void)
{
    static const uint32_t sizes[] = {N, 0, 1, 2, 3, 77};
    static struct record a[N];
    static uint32_t keys[N];
    static uint8_t seen[N];
    uint32_t state = 123;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const uint32_t n = sizes[calls];
        for (uint32_t i = 0; i < N; i++) {
            state = state * 69069u + 1u;
            keys[i] = i % 5 == 0 ? 0x80000000u : state;
            a[i] = (struct record){keys[i], (uint16_t)i};
            seen[i] = 0;
        }
        heap_sort(a, n);
        // Ascending, and each payload came once and still stands beside its key.
        for (uint32_t i = 0; i < N; i++) {
            bad += i > 0 && i < n && a[i - 1].key > a[i].key;
            bad += a[i].tag >= N || seen[a[i].tag]++ || a[i].key != keys[a[i].tag];
            bad += i >= n && a[i].tag != i;
        }
    }
    printf("heap_sort: %d arrays, %d records wrong\n", calls, bad);
    return bad != 0;
}
