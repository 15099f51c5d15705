#include "loom.h"

extern const int table[16];

LOOM_ACCEL int look_up(int i)
{
    return table[i & 15];
}
