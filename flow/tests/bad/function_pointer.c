#include "loom.h"

LOOM_ACCEL void map(int *restrict a, int n, int (*f)(int))
{
    for (int i = 0; i < n; i++)
        a[i] = f(a[i]);
}
