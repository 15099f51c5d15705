// Sorting by insertion: how far a number moves is in the numbers, and the calls tell it.
#include "loom.h"
#include <stdio.h>

#define N 48

LOOM_ACCEL
void sort(int *a, int n)
{
    for (int i = 1; i < n; i++) {
        const int x = a[i];
        int k = i;
        while (k > 0 && a[k - 1] > x) {
            a[k] = a[k - 1];
            k--;
        }
        a[k] = x;
    }
}

int main(void)
{
    static const int sizes[] = {0, 1, N, N};
    static int a[N];
    unsigned state = 5;
    int bad = 0;
    for (int call = 0; call < 4; call++) {
        for (int i = 0; i < N; i++) {
            state = state * 1664525u + 1013904223u;
            a[i] = (int)(state >> 20) - i * 40;
        }
        sort(a, sizes[call]);
        for (int i = 1; i < sizes[call]; i++)
            bad += a[i - 1] > a[i];
    }
    printf("%d out of order\n", bad);
    return bad != 0;
}
