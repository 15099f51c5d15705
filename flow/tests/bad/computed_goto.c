#include "loom.h"

LOOM_ACCEL int run(const unsigned char *code)
{
    static const void *const labels[] = {&&add, &&twice, &&end};
    int a = 1;
    goto *labels[*code++];
add:
    a += 3;
    goto *labels[*code++];
twice:
    a *= 2;
    goto *labels[*code++];
end:
    return a;
}
