// Loops that would be faster if their arrays were known to be apart; `apart` says so.
#include "loom.h"

#include <stdio.h>

#define N 32

LOOM_ACCEL void scale(int n, const int *x, int *y)
{
    for (int i = 0; i < n; i++)
        y[i] = (x[i] * 13) >> 2;
}

LOOM_ACCEL void apart(int n, const int *restrict x, int *restrict y)
{
    for (int i = 0; i < n; i++)
        y[i] = (x[i] * 13) >> 2;
}

int main(void)
{
    int x[N], y[N], z[N], bad = 0;
    for (int i = 0; i < N; i++)
        x[i] = i;
    scale(N, x, y);
    apart(N, x, z);
    for (int i = 0; i < N; i++)
        bad += y[i] != z[i];
    printf("%d differ\n", bad);
    return bad;
}
