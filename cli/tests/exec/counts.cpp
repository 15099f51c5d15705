// Loops that count in 64 bits: upwards and downwards, with a bound from outside, from a container, from another array's words;
// the count itself as a value; and one that goes beyond what index holds, which stays as wide as it is.
#include "loom.h"

#include <cstdint>
#include <cstdio>
#include <vector>

LOOM_ACCEL void scale(float *a, std::size_t n, float by)
{
    for (std::size_t i = 0; i < n; i++)
        a[i] *= by;
}

LOOM_ACCEL long down(const int *a, long n)
{
    long s = 0;
    for (long i = n - 1; i >= 0; i--)
        s = 3 * s + a[i] * i;
    return s;
}

LOOM_ACCEL std::size_t last_zero(const int *a, std::size_t n)
{
    for (std::size_t i = n; i-- > 0;)
        if (a[i] == 0)
            return i;
    return n;
}

LOOM_ACCEL std::uint64_t weigh(const std::vector<int> &v)
{
    std::uint64_t s = 0;
    for (std::size_t i = 0; i < v.size(); i++)
        s += v[i] * (i << 33);
    return s;
}

LOOM_ACCEL int triangle(const int *a, long n)
{
    int s = 0;
    for (long i = 0; i < n; i++)
        for (long j = i; j < n; j += 2)
            s += a[i * n + j];
    return s;
}

LOOM_ACCEL long ragged(const long *first, const int *a, int rows)
{
    long s = 0;
    for (int r = 0; r < rows; r++)
        for (long i = first[r]; i < first[r + 1]; i++)
            s += a[i];
    return s;
}

LOOM_ACCEL int steps(std::uint64_t from, std::uint64_t to)
{
    int n = 0;
    for (std::uint64_t i = from; i < to; i += 3000000000)
        n++;
    return n;
}

int main()
{
    int wrong = 0;
    float f[5] = {1, 2, 3, 4, 5};
    scale(f, 4, 2);
    scale(f, 0, 9);
    wrong += f[0] != 2 || f[3] != 8 || f[4] != 5;
    int a[9] = {5, 0, -3, 8, 0, 1, 7, 2, 4};
    wrong += down(a, 4) != 3 * (3 * (3 * 24 - 6) + 0);
    wrong += down(a, 0) != 0 || down(a, -7) != 0;
    wrong += last_zero(a, 9) != 4 || last_zero(a, 4) != 1 || last_zero(a, 1) != 1 || last_zero(a, 0) != 0;
    std::vector<int> v{3, -1, 4}, none;
    wrong += weigh(v) != (7ull << 33) || weigh(none) != 0;
    wrong += triangle(a, 3) != 5 - 3 + 0 + 4;
    long first[4] = {2, 2, 5, 9};
    wrong += ragged(first, a, 3) != 5 + 14;
    wrong += steps(1, 10000000000) != 4 || steps(5, 5) != 0 || steps(1ull << 40, (1ull << 40) + 1) != 1;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
