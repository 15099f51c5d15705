// Sorting: stream compaction and stable partition with iterators and a predicate object.
// The standard library's copy_if and stable_partition; databases filter so. The output iterator moves only when the
// predicate holds, and the two outputs advance at rates that data decide.
#include "loom.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>

struct sample {
    std::uint32_t time;
    float value;
};

class in_band {
public:
    in_band(float low, float high) : low_(low), high_(high) {}
    bool operator()(const sample &s) const { return s.value >= low_ && s.value < high_; }

private:
    float low_, high_;
};

template <typename In, typename Out, typename Predicate>
static inline Out compact(In first, In last, Out yes, Out no, Predicate wanted)
{
    while (first != last) {
        if (wanted(*first))
            *yes++ = *first;
        else
            *no++ = *first;
        ++first;
    }
    return yes;
}

LOOM_ACCEL std::size_t split_band(const sample *in, std::size_t n, sample *kept, sample *rest, float low, float high)
{
    return static_cast<std::size_t>(compact(in, in + n, kept, rest, in_band(low, high)) - kept);
}

int main()
{
    constexpr std::size_t N = 1500;
    static sample in[N], kept[N], rest[N];
    const std::size_t sizes[] = {N, 0, 1, 800};
    std::uint32_t state = 87;
    int bad = 0, calls = 0;
    std::size_t total = 0;
    for (std::size_t n : sizes) {
        const float low = -0.25f * static_cast<float>(calls), high = calls == 3 ? -9.0f : 0.5f;
        for (std::size_t i = 0; i < N; i++) {
            state = state * 1664525u + 1013904223u;
            in[i] = sample{static_cast<std::uint32_t>(i), static_cast<float>(state >> 24) / 128.0f - 1.0f};
        }
        const std::size_t count = split_band(in, n, kept, rest, low, high);
        bad += count > n;
        // Both parts merged by time are the input again, and each sample is in the part where it belongs.
        std::size_t k = 0, r = 0;
        for (std::size_t i = 0; i < n; i++) {
            const bool inside = !(in[i].value < low) && in[i].value < high;
            const sample &s = inside ? kept[k++] : rest[r++];
            bad += s.time != i || s.value != in[i].value;
        }
        bad += k != count;
        total += count;
        calls++;
    }
    std::printf("compact_if: %d lists, %lu kept, %d wrong\n", calls, static_cast<unsigned long>(total), bad);
    return bad != 0 || total == 0;
}
