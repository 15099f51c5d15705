#include "loom.h"

LOOM_ACCEL int look(long i)
{
    static int table[40000000];
    table[i] = 3;
    return table[i / 2];
}
