#include "loom.h"

static int more(int x)
{
    return x + 1;
}

static int twice(int x)
{
    return x * 2;
}

static int (*const steps[2])(int) = {more, twice};

LOOM_ACCEL int run(const unsigned char *p, int n)
{
    int x = 0;
    for (int i = 0; i < n; i++)
        x = steps[p[i] & 1](x);
    return x;
}
