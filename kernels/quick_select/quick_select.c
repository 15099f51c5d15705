// Searching: the k-th smallest element by Hoare's selection, for a median.
// Hoare 1961 (algorithm 65). A loop around two scans that swap as they meet, whose interval shrinks by data; it returns
// from inside when the interval is one element.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

LOOM_ACCEL int32_t quick_select(int32_t *v, int n, int k)
{
    int low = 0, high = n - 1;
    while (low < high) {
        const int32_t pivot = v[k];
        int i = low, j = high;
        do {
            while (v[i] < pivot)
                i++;
            while (pivot < v[j])
                j--;
            if (i <= j) {
                const int32_t t = v[i];
                v[i++] = v[j];
                v[j--] = t;
            }
        } while (i <= j);
        if (j < k)
            low = i;
        if (k < i)
            high = j;
        if (j < k && k < i)
            return v[k];
    }
    return v[k];
}

#define N 420

int main(void)
{
    static const int sizes[] = {N, 1, 2, 3, 99, N, 256};
    static int32_t v[N], before[N];
    uint32_t state = 88;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int n = sizes[calls], k = calls == 5 ? 0 : calls == 6 ? n - 1 : n / 2;
        for (int i = 0; i < n; i++) {
            state = state * 1664525u + 1013904223u;
            v[i] = before[i] = calls % 2 ? (int32_t)(state >> 28) - 8 : (int32_t)(state >> 1) - (1 << 30);
        }
        const int32_t found = quick_select(v, n, k);
        int below = 0, equal = 0;
        for (int i = 0; i < n; i++) {
            below += before[i] < found;
            equal += before[i] == found;
        }
        bad += below > k || below + equal <= k;
        // Nothing above it stands before it, nothing below behind it.
        for (int i = 0; i < n; i++)
            bad += i < k ? v[i] > found : v[i] < found;
    }
    printf("quick_select: %d selections, %d wrong\n", calls, bad);
    return bad != 0;
}
