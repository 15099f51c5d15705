#include "loom.h"
#include <stdint.h>

LOOM_ACCEL uint64_t high(uint64_t a, uint64_t b)
{
    return (uint64_t)((unsigned __int128)a * b >> 64);
}
