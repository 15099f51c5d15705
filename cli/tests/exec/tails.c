// Functions that call themselves as the last that they do: loops on the fabric.
#include "loom.h"

#include <stdio.h>

static int gcd(int a, int b)
{
    return b == 0 ? a : gcd(b, a % b);
}

static int sum(const int *a, int n)
{
    if (n == 0)
        return 0;
    return a[n - 1] + sum(a, n - 1);
}

LOOM_ACCEL int divisor(int a, int b)
{
    return gcd(a, b);
}

LOOM_ACCEL int total(const int *a, int n)
{
    return sum(a, n);
}

LOOM_ACCEL int factorial(int n, int so_far)
{
    return n < 2 ? so_far : factorial(n - 1, so_far * n);
}

int main(void)
{
    int a[6] = {3, -1, 4, 1, -5, 9}, wrong = 0;
    for (int i = 1; i < 20; i++)
        wrong += divisor(36 * i, 84) != gcd(36 * i, 84);
    for (int n = 0; n <= 6; n++)
        wrong += total(a, n) != sum(a, n);
    wrong += factorial(5, 1) != 120;
    printf("%d wrong\n", wrong);
    return wrong;
}
