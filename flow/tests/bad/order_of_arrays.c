#include "loom.h"

LOOM_ACCEL int before(const int *a, const int *b)
{
    return a < b ? a[0] : b[0];
}
