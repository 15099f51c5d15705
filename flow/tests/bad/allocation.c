#include "loom.h"
#include <stdlib.h>

LOOM_ACCEL int reversed(const int *a, int n)
{
    int *b = malloc(n * sizeof *b);
    int sum = 0;
    for (int i = 0; i < n; i++)
        b[i] = a[n - 1 - i];
    for (int i = 0; i < n; i++)
        sum = sum * 31 + b[i];
    free(b);
    return sum;
}
