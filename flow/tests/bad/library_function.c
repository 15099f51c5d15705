#include "loom.h"
#include <math.h>

LOOM_ACCEL void factorials(float *y, int n, float step)
{
    for (int i = 0; i < n; i++)
        y[i] = tgammaf(i * step);
}
