#include "loom.h"

LOOM_ACCEL int last(const int *a, int n)
{
    int copy[n];
    for (int i = 0; i < n; i++)
        copy[i] = a[i];
    return copy[n - 1];
}
