#include "loom.h"
#include <stdarg.h>

LOOM_ACCEL int sum(int n, ...)
{
    va_list list;
    va_start(list, n);
    int total = 0;
    for (int i = 0; i < n; i++)
        total += va_arg(list, int);
    va_end(list);
    return total;
}
