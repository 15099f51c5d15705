// Scans: several reductions of one array through a template that takes a lambda.
// The standard library's style. Each lambda is a type of its own that must be inlined and leave nothing behind; captures by
// reference are variables in memory until they are promoted.
#include "loom.h"

#include <cstdint>
#include <cstdio>
#include <limits>

struct summary {
    std::int64_t sum;
    std::int32_t least, most;
    std::uint32_t negatives, longest_rise;
};

template <typename T, typename A, typename F>
static inline A reduce(const T *first, const T *last, A start, F &&step)
{
    for (; first != last; ++first)
        start = step(start, *first);
    return start;
}

LOOM_ACCEL void summarise(const std::int32_t *v, int n, summary &out)
{
    using limits = std::numeric_limits<std::int32_t>;
    const std::int32_t *const end = v + n;
    out.sum = reduce(v, end, std::int64_t{0}, [](std::int64_t a, std::int32_t x) { return a + x; });
    out.least = reduce(v, end, limits::max(), [](std::int32_t a, std::int32_t x) { return x < a ? x : a; });
    out.most = reduce(v, end, limits::min(), [](std::int32_t a, std::int32_t x) { return x > a ? x : a; });
    std::uint32_t longest = 0;
    std::int32_t last = limits::max();
    out.negatives = reduce(v, end, 0u, [](std::uint32_t a, std::int32_t x) { return a + (x < 0); });
    reduce(v, end, 0u, [&longest, &last](std::uint32_t run, std::int32_t x) {
        run = x > last ? run + 1 : 1;
        last = x;
        if (run > longest)
            longest = run;
        return run;
    });
    out.longest_rise = longest;
}

int main()
{
    constexpr int N = 700;
    static std::int32_t v[N];
    const int sizes[] = {N, 0, 1, 2, 300};
    std::uint32_t state = 27;
    int bad = 0, calls = 0;
    for (int n : sizes) {
        for (int i = 0; i < N; i++) {
            state = state * 1664525u + 1013904223u;
            v[i] = static_cast<std::int32_t>(state) >> (calls * 3);
        }
        if (n > 100)
            for (int i = 50; i < 80; i++)
                v[i] = (i - 60) * 1000;
        summary s = {};
        summarise(v, n, s);
        // Bounds that hold and are met, a sum from the back, and rises found from their beginnings.
        std::int64_t sum = 0;
        std::uint32_t negatives = 0, longest = 0;
        bool least = n == 0, most = n == 0;
        for (int i = n - 1; i >= 0; i--) {
            sum += v[i];
            negatives += v[i] < 0;
            bad += v[i] < s.least || v[i] > s.most;
            least |= v[i] == s.least;
            most |= v[i] == s.most;
            std::uint32_t length = 1;
            while (i + static_cast<int>(length) < n && v[i + static_cast<int>(length)] > v[i + static_cast<int>(length) - 1])
                length++;
            longest = length > longest ? length : longest;
        }
        bad += sum != s.sum || negatives != s.negatives || longest != s.longest_rise || !least || !most;
        bad += n > 100 && longest < 30;
        calls++;
    }
    std::printf("reduce_lambda: %d arrays, %d wrong\n", calls, bad);
    return bad != 0;
}
