#include "loom.h"

LOOM_ACCEL unsigned swap(unsigned x)
{
    __asm__("bswap %0" : "+r"(x));
    return x;
}
