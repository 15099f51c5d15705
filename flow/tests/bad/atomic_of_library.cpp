#include "loom.h"
#include <atomic>

LOOM_ACCEL int count(std::atomic<int> &c, int n)
{
    for (int i = 0; i < n; i++)
        c.fetch_add(1, std::memory_order_relaxed);
    return c.load();
}
