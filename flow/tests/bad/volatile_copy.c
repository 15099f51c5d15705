#include "loom.h"

struct block {
    int words[20];
};

LOOM_ACCEL void copy(volatile struct block *to, volatile struct block *from)
{
    *to = *from;
}
