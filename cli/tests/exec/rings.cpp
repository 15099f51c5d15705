// Local structs with arrays in them: the arrays are memory, the numbers beside them are values that loops carry.
#include "loom.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <optional>

template <class T, unsigned N> class Ring {
    std::array<T, N> buffer{};
    unsigned head = 0, size = 0;

public:
    bool push(T value)
    {
        if (size == N)
            return false;
        buffer[(head + size++) % N] = value;
        return true;
    }
    std::optional<T> pop()
    {
        if (size == 0)
            return std::nullopt;
        T value = buffer[head];
        head = (head + 1) % N;
        --size;
        return value;
    }
    unsigned count() const { return size; }
};

// Positive numbers go in, zeros take one out, negative ones take all.
template <class Queue> static std::int64_t run(const std::int32_t *in, int n, std::int32_t *out, int *lost)
{
    Queue queue;
    std::int64_t weighted = 0;
    int taken = 0, dropped = 0;
    for (int i = 0; i < n; i++) {
        if (in[i] > 0) {
            dropped += !queue.push(in[i]);
        } else if (in[i] == 0) {
            if (auto value = queue.pop())
                out[taken++] = *value;
        } else {
            while (auto value = queue.pop())
                weighted += std::int64_t(*value) * queue.count();
        }
    }
    *lost = dropped;
    return weighted * 1000 + taken;
}

LOOM_ACCEL std::int64_t replay(const std::int32_t *__restrict in, int n, std::int32_t *__restrict out, int *__restrict lost)
{
    return run<Ring<std::int32_t, 8>>(in, n, out, lost);
}

// A stack of words and its top, in one struct, with a byte that says whether it ran over.
struct Stack {
    std::uint16_t words[6];
    std::uint8_t over;
    int top;
};

static int balance_of(const std::int32_t *in, int n)
{
    Stack stack = {{0}, 0, 0};
    int sum = 0;
    for (int i = 0; i < n; i++) {
        if (in[i] > 0 && stack.top < 6)
            stack.words[stack.top++] = in[i];
        else if (in[i] > 0)
            stack.over++;
        else if (stack.top > 0)
            sum += stack.words[--stack.top];
    }
    return sum * 100 + stack.over * 10 + stack.top;
}

LOOM_ACCEL int balance(const std::int32_t *in, int n) { return balance_of(in, n); }

int main()
{
    std::int32_t in[120], out[2][120] = {};
    unsigned z = 1;
    for (auto &x : in) {
        z = z * 1664525 + 1013904223;
        x = z >> 30 ? int(z >> 20 & 1023) + 1 : -int(z >> 29 & 1);
    }
    int wrong = 0;
    for (int n = 0; n <= 120; n += 24) {
        int lost[2];
        auto there = replay(in, n, out[0], &lost[0]);
        auto here = run<Ring<std::int32_t, 8>>(in, n, out[1], &lost[1]);
        wrong += there != here || lost[0] != lost[1];
        wrong += balance(in, n) != balance_of(in, n);
    }
    for (int i = 0; i < 120; i++)
        wrong += out[0][i] != out[1][i];
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
