// Searching: counts inversions of a permutation with a Fenwick tree.
// Fenwick 1994; rank statistics. Two while loops for each element walk up and down an implicit tree by the lowest set bit,
// updating counters that the next element reads.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

#define MAX 512

LOOM_ACCEL uint64_t inversions(const uint16_t *rank, int n)
{
    static uint16_t tree[MAX + 1];
    uint64_t count = 0;
    for (int i = 0; i <= n; i++)
        tree[i] = 0;
    for (int i = 0; i < n; i++) {
        int below = 0;
        for (int at = rank[i]; at > 0; at &= at - 1)
            below += tree[at];
        count += (uint64_t)(i - below);
        for (int at = rank[i]; at <= n; at += at & -at)
            tree[at]++;
    }
    return count;
}

// Sorts by exchanges of neighbours; each removes exactly one inversion.
static uint64_t bubbles(uint16_t *v, int n)
{
    uint64_t count = 0;
    for (int i = 0; i + 1 < n; i++)
        for (int j = 0; j + 1 < n - i; j++)
            if (v[j] > v[j + 1]) {
                const uint16_t t = v[j];
                v[j] = v[j + 1];
                v[j + 1] = t;
                count++;
            }
    return count;
}

int main(void)
{
    static const int sizes[] = {MAX, 0, 1, 2, 100, 31};
    static uint16_t rank[MAX];
    uint32_t state = 10;
    uint64_t total = 0;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int n = sizes[calls];
        for (int i = 0; i < n; i++)
            rank[i] = (uint16_t)(calls == 5 ? n - i : i + 1);
        for (int i = n - 1; i > 0 && calls < 5; i--) {
            state = state * 1664525u + 1013904223u;
            const int j = (int)((state >> 16) % (uint32_t)(i + 1));
            const uint16_t t = rank[i];
            rank[i] = rank[j];
            rank[j] = t;
        }
        const uint64_t count = inversions(rank, n);
        bad += count != bubbles(rank, n);
        bad += calls == 5 && count != (uint64_t)n * (uint64_t)(n - 1) / 2;
        total += count;
    }
    printf("fenwick: %d permutations, %llu inversions, %d wrong\n", calls, (unsigned long long)total, bad);
    return bad != 0 || total == 0;
}
