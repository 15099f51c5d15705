#include "loom.h"

LOOM_ACCEL const char *end(const char *s)
{
    while (*s)
        s++;
    return s;
}
