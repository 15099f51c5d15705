#include "loom.h"
#include <vector>

LOOM_ACCEL int element(const std::vector<int> &v, int i)
{
    return v.at(i);
}
