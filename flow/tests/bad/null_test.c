#include "loom.h"

LOOM_ACCEL int first(const int *a)
{
    return a ? a[0] : 0;
}
