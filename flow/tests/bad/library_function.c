#include "loom.h"
#include <math.h>

LOOM_ACCEL void wave(float *y, int n, float step)
{
    for (int i = 0; i < n; i++)
        y[i] = sinf(i * step);
}
