// DSP: median of the last samples with a class that holds a ring and a sorted window.
// Sensor filtering. Methods work on arrays inside of an object that lives across calls; each sample removes one element from
// a sorted array and puts another in, with two short loops that data end.
#include "loom.h"

#include <cstdint>
#include <cstdio>

template <typename T, int N>
class moving_median {
public:
    T push(T v)
    {
        int hole = count;
        if (count == N) {
            // The oldest one leaves; equal ones cannot be told apart, so any of them will do.
            const T old = ring[head];
            hole = 0;
            while (sorted[hole] != old)
                hole++;
        } else {
            count++;
        }
        ring[head] = v;
        head = head + 1 == N ? 0 : head + 1;
        while (hole > 0 && sorted[hole - 1] > v) {
            sorted[hole] = sorted[hole - 1];
            hole--;
        }
        while (hole + 1 < count && sorted[hole + 1] < v) {
            sorted[hole] = sorted[hole + 1];
            hole++;
        }
        sorted[hole] = v;
        return sorted[count / 2];
    }

private:
    T ring[N] = {};
    T sorted[N] = {};
    int head = 0;
    int count = 0;
};

constexpr int WIDTH = 9;
using filter = moving_median<std::int16_t, WIDTH>;

LOOM_ACCEL void filter_block(filter &f, const std::int16_t *in, std::int16_t *out, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = f.push(in[i]);
}

int main()
{
    constexpr int N = 800;
    static std::int16_t in[N], out[N];
    const int sizes[] = {0, 1, 3, 296, 500};
    std::uint32_t state = 46;
    int bad = 0, calls = 0, done = 0;
    filter f;
    for (int i = 0; i < N; i++) {
        state = state * 1664525u + 1013904223u;
        in[i] = static_cast<std::int16_t>(i < 400 ? static_cast<int>(state >> 16) - 32768 : i / 4 + static_cast<int>(state >> 30));
    }
    for (int n : sizes) {
        filter_block(f, in + done, out + done, n);
        done += n;
        calls++;
    }
    // A median has as many below it as its rank at most, and more than that with its equals.
    for (int i = 0; i < done; i++) {
        const int first = i + 1 < WIDTH ? 0 : i + 1 - WIDTH, rank = (i + 1 - first) / 2;
        int below = 0, equal = 0;
        for (int k = first; k <= i; k++) {
            below += in[k] < out[i];
            equal += in[k] == out[i];
        }
        bad += below > rank || below + equal <= rank;
    }
    std::printf("moving_median: %d blocks, %d samples, %d wrong\n", calls, done, bad);
    return bad != 0;
}
