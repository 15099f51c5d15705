#include "loom.h"

static int table[4];

LOOM_ACCEL int before(const int *a)
{
    return a < table ? a[0] : table[0];
}
