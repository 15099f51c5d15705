#include "loom.h"
#include <string.h>

LOOM_ACCEL int far_off(unsigned char *p, int n)
{
    memset(p, 0, 0x100000000);
    return p[n] + p[0x140000000];
}
