// Two pointers into one array: iterators of arguments, the members of `std::vector` and `std::string`, algorithms over them.
#include "loom.h"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

LOOM_ACCEL int sum(const int *first, const int *last)
{
    int s = 0;
    while (first != last)
        s += *first++;
    return s;
}

LOOM_ACCEL void turn(short *low, short *high)
{
    while (low < high) {
        short t = *low;
        *low++ = *--high;
        *high = t;
    }
}

LOOM_ACCEL long length(const double *from, const double *to)
{
    return to - from;
}

LOOM_ACCEL int find(const char *text, const char *end, char c)
{
    for (const char *p = text; p < end; ++p)
        if (*p == c)
            return static_cast<int>(p - text);
    return -1;
}

// Backwards from the end: the first argument is only compared with.
LOOM_ACCEL int last_positive(const int *first, const int *end)
{
    while (end != first)
        if (*--end > 0)
            return *end;
    return 0;
}

LOOM_ACCEL int total(const std::vector<int> &v)
{
    return std::accumulate(v.begin(), v.end(), 0);
}

LOOM_ACCEL int above(const std::vector<int> &v, int limit)
{
    return static_cast<int>(std::count_if(v.begin(), v.end(), [=](int x) { return x > limit; }));
}

LOOM_ACCEL int product(const std::vector<int> &a, const std::vector<int> &b)
{
    int s = 0;
    for (size_t i = 0; i < a.size() && i < b.size(); i++)
        s += a[i] * b[i];
    return s;
}

LOOM_ACCEL int blanks(const std::string &s)
{
    int n = 0;
    for (char c : s)
        n += c == ' ';
    return n;
}

LOOM_ACCEL int place(const int *from, const int *to, int x)
{
    return static_cast<int>(std::lower_bound(from, to, x) - from);
}

LOOM_ACCEL void reversed(std::vector<int> &v)
{
    std::reverse(v.begin(), v.end());
}

int main()
{
    int a[9], wrong = 0;
    std::iota(a, a + 9, 0);
    wrong += sum(a, a + 9) != 36;
    wrong += sum(a + 4, a + 6) != 9;
    wrong += sum(a + 9, a + 9) != 0;
    short b[7] = {1, 2, 3, 4, 5, 6, 7};
    turn(b, b + 7);
    turn(b + 3, b + 3);
    for (int i = 0; i < 7; i++)
        wrong += b[i] != 7 - i;
    double d[5];
    wrong += length(d, d + 5) != 5;
    wrong += length(d + 5, d) != -5;
    const char *text = "a fabric";
    wrong += find(text, text + 8, 'f') != 2;
    wrong += find(text, text + 8, 'z') != -1;
    wrong += find(text, text, 'a') != -1;
    int c[4] = {3, 5, -1, 0};
    wrong += last_positive(c, c + 4) != 5;
    wrong += last_positive(c + 2, c + 4) != 0;
    std::vector<int> v{3, 1, 4, 1, 5, 9}, none;
    wrong += total(v) != 23;
    wrong += total(none) != 0;
    wrong += above(v, 3) != 3;
    wrong += product(v, v) != 133;
    wrong += product(v, none) != 0;
    wrong += blanks("to be or not to be") != 5;
    wrong += place(a, a + 9, 6) != 6;
    wrong += place(a, a + 9, 100) != 9;
    reversed(v);
    wrong += v.front() != 9 || v.back() != 3;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
