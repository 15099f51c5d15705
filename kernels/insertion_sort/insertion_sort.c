// Sorting: insertion sort of 32-bit integers, in place.
// The first sorting algorithm of every textbook. The inner while has a short-circuit condition whose second half must not
// be evaluated when the first fails, and every step reads what the one before wrote.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

LOOM_ACCEL void insertion_sort(int32_t *a, int n)
{
    for (int i = 1; i < n; i++) {
        const int32_t key = a[i];
        int j = i - 1;
        while (j >= 0 && a[j] > key) {
            a[j + 1] = a[j];
            j--;
        }
        a[j + 1] = key;
    }
}

#define N 110

int main(void)
{
    static const int sizes[] = {0, 1, 2, 3, N, N, 40};
    static int32_t a[N + 2], before[N + 2];
    uint32_t state = 9;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int n = sizes[calls];
        for (int i = 0; i < N + 2; i++) {
            state = state * 1664525u + 1013904223u;
            // Random, then with many equal ones; both ends of the range are there.
            before[i] = calls % 2 ? (int32_t)(state >> 29) - 4 : (int32_t)(state >> 1) - (1 << 30);
        }
        before[1] = INT32_MAX;
        before[2] = INT32_MIN;
        for (int i = 0; i < N + 2; i++)
            a[i] = before[i];
        insertion_sort(a + 1, n);
        bad += a[0] != before[0] || a[n + 1] != before[n + 1];
        // Each element stands where its rank says, as often as it was there.
        for (int i = 1; i <= n; i++) {
            int below = 0, equal = 0;
            for (int j = 1; j <= n; j++) {
                below += before[j] < before[i];
                equal += before[j] == before[i];
            }
            for (int k = 0; k < equal; k++)
                bad += a[1 + below + k] != before[i];
        }
    }
    printf("insertion_sort: %d arrays, %d elements wrong\n", calls, bad);
    return bad != 0;
}
