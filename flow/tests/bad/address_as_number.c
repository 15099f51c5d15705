#include "loom.h"
#include <stdint.h>

LOOM_ACCEL int is_aligned(const char *p)
{
    return ((uintptr_t)p & 15) == 0;
}
