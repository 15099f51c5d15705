#include "loom.h"

LOOM_ACCEL int checked(const int *a, int n)
{
    if (n < 0)
        throw n;
    return a[n];
}
