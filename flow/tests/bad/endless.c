#include "loom.h"

LOOM_ACCEL void forever(int *a)
{
    for (;;)
        a[0]++;
}
