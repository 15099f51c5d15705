// Functions that are given to others, which are known once these are part of the function: by name, by template, in a struct, as a lambda.
#include "loom.h"

#include <cstdio>

using op = int (*)(int);

struct ops {
    op first, second;
};

static int twice(int x) { return 2 * x; }
static int inc(int x) { return x + 1; }
static int both(int x, op f, op g) { return f(x) + g(x); }
static int through(int x, int (*h)(int, op, op)) { return h(x, twice, inc); }
static int composed(const ops *o, int x) { return o->first(o->second(x)); }

static void each(int *a, int n, op f)
{
    for (int i = 0; i < n; i++)
        a[i] = f(a[i]);
}

template <class F> static void every(int *a, int n, F f)
{
    for (int i = 0; i < n; i++)
        a[i] = f(a[i]);
}

static inline __attribute__((always_inline)) float area(float (*f)(float), float a, float b, int n)
{
    float h = (b - a) / n, s = (f(a) + f(b)) / 2;
    for (int i = 1; i < n; i++)
        s += f(a + i * h);
    return s * h;
}

static float square(float x) { return x * x; }

LOOM_ACCEL void mapped(int *a, int n, int by)
{
    each(a, n, twice);
    every(a, n, inc);
    every(a, n, [by](int x) { return x * by; });
    each(a, n, [](int x) { return x - 3; });
}

LOOM_ACCEL int nested(int x)
{
    ops o = {inc, twice};
    return through(x, both) + composed(&o, x);
}

LOOM_ACCEL float under(float b, int n)
{
    return area(square, 0, b, n);
}

int main()
{
    const int given[5] = {1, -2, 3, 0, 40};
    int a[5] = {1, -2, 3, 0, 40}, wrong = 0;
    mapped(a, 5, 7);
    for (int i = 0; i < 5; i++) {
        int x = given[i];
        wrong += a[i] != (2 * x + 1) * 7 - 3;
        wrong += nested(x) != 3 * x + 1 + 2 * x + 1;
    }
    float r = under(3, 64);
    wrong += r < 8.99f || r > 9.01f;
    std::printf("%d wrong\n", wrong);
    return wrong;
}
