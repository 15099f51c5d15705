// Sorting: quicksort of floats with a stack of its own, small parts left to insertion sort.
// Hoare 1961, Sedgewick 1978. Two pointers run towards each other in loops of their own, a local stack of intervals
// replaces recursion, and comparisons are of floats.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

LOOM_ACCEL void quick_sort(float *v, int n)
{
    int stack[32], top = 0;
    int low = 0, high = n - 1;
    for (;;) {
        while (high - low >= 8) {
            float *i = v + low - 1, *j = v + high + 1;
            const float pivot = v[low + (high - low) / 2];
            for (;;) {
                do
                    i++;
                while (*i < pivot);
                do
                    j--;
                while (*j > pivot);
                if (i >= j)
                    break;
                const float t = *i;
                *i = *j;
                *j = t;
            }
            // The larger part waits, so that the stack stays logarithmic.
            const int cut = (int)(j - v);
            if (cut - low > high - cut - 1) {
                stack[top++] = low;
                stack[top++] = cut;
                low = cut + 1;
            } else {
                stack[top++] = cut + 1;
                stack[top++] = high;
                high = cut;
            }
        }
        if (top == 0)
            break;
        high = stack[--top];
        low = stack[--top];
    }
    for (int i = 1; i < n; i++) {
        const float t = v[i];
        int j;
        for (j = i; j > 0 && v[j - 1] > t; j--)
            v[j] = v[j - 1];
        v[j] = t;
    }
}

#define N 420

int main(void)
{
    static const int sizes[] = {N, 0, 1, 2, 9, 150, 60};
    static float v[N], before[N];
    uint32_t state = 3;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int n = sizes[calls];
        for (int i = 0; i < N; i++) {
            state = state * 1664525u + 1013904223u;
            v[i] = (float)(int32_t)state / 1e6f;
            if (calls == 5)
                v[i] = (float)(i % 3);
            if (calls == 6)
                v[i] = (float)(n - i);
            before[i] = v[i];
        }
        quick_sort(v, n);
        // Sums of bits do not depend on order; a random hash of each value makes it a fingerprint.
        uint64_t have = 0, want = 0;
        for (int i = 0; i < N; i++) {
            const union {
                float f;
                uint32_t u;
            } x = {v[i]}, y = {before[i]};
            have += (x.u ^ 0x5bd1e995u) * UINT64_C(0x9e3779b97f4a7c15);
            want += (y.u ^ 0x5bd1e995u) * UINT64_C(0x9e3779b97f4a7c15);
            bad += i > 0 && i < n && v[i - 1] > v[i];
            bad += i >= n && v[i] != before[i];
        }
        bad += have != want;
    }
    printf("quick_sort: %d arrays, %d wrong\n", calls, bad);
    return bad != 0;
}
