#include "loom.h"
#include <stdio.h>

LOOM_ACCEL int checked(int n)
{
    if (n < 0)
        fprintf(stderr, "%d is negative\n", n);
    return n + 1;
}
