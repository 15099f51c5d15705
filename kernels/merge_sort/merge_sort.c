// Sorting: bottom-up merge sort of 64-bit keys, stable, between two buffers.
// Von Neumann 1945. Three pointers advance at rates that data decide, with a loop for what is left over; runs double in
// length, and the last one may be short.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

struct item {
    int64_t key;
    int32_t order;
};

static void merge(const struct item *left, const struct item *middle, const struct item *end, struct item *out)
{
    const struct item *right = middle;
    while (left != middle && right != end) {
        if (right->key < left->key)
            *out++ = *right++;
        else
            *out++ = *left++;
    }
    while (left != middle)
        *out++ = *left++;
    while (right != end)
        *out++ = *right++;
}

LOOM_ACCEL void merge_sort(struct item *restrict v, struct item *restrict spare, int n)
{
    struct item *from = v, *to = spare;
    for (int run = 1; run < n; run *= 2) {
        for (int at = 0; at < n; at += 2 * run) {
            const int middle = at + run < n ? at + run : n;
            const int end = at + 2 * run < n ? at + 2 * run : n;
            merge(from + at, from + middle, from + end, to + at);
        }
        struct item *t = from;
        from = to;
        to = t;
    }
    if (from != v)
        for (int i = 0; i < n; i++)
            v[i] = from[i];
}

#define N 300

int main(void)
{
    static const int sizes[] = {N, 0, 1, 2, 5, 64, 100};
    static struct item v[N], spare[N];
    static int64_t keys[N];
    uint64_t state = 1;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int n = sizes[calls];
        for (int i = 0; i < N; i++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            keys[i] = (int64_t)(state >> 61) * (INT64_C(1) << 40) - (INT64_C(1) << 42);
            v[i] = (struct item){keys[i], i};
        }
        merge_sort(v, spare, n);
        // Ascending by key, and strictly by first place among equals: so no item is there twice, and none is missing.
        for (int i = 0; i < n; i++) {
            bad += v[i].order < 0 || v[i].order >= n || keys[v[i].order] != v[i].key;
            bad += i > 0 && (v[i - 1].key > v[i].key || (v[i - 1].key == v[i].key && v[i - 1].order >= v[i].order));
        }
    }
    printf("merge_sort: %d arrays, %d items wrong\n", calls, bad);
    return bad != 0;
}
