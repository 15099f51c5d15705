#include "loom.h"

LOOM_ACCEL int poll(volatile int *status)
{
    int spins = 0;
    while (!*status)
        spins++;
    return spins;
}
