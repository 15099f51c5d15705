#include "loom.h"
#include <stdio.h>

LOOM_ACCEL void show(const int *a, int n)
{
    for (int i = 0; i < n; i++)
        printf("%d\n", a[i]);
}
