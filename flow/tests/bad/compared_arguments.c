#include "loom.h"
#include <stdint.h>
LOOM_ACCEL int same(const int *a, const int *b) { return a == b ? a[0] : b[1]; }
