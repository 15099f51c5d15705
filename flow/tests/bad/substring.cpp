#include "loom.h"
#include <string_view>

LOOM_ACCEL int length(std::string_view s, int i)
{
    return s.substr(i, 4).size();
}
