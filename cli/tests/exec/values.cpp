// Small structs by value, which come and go in registers: vectors of floats, bytes, what mixes both, more than fits one.
#include "loom.h"

#include <cstdint>
#include <cstdio>

struct Vec2 {
    float x, y;
};
struct Vec3 {
    float x, y, z;
};
struct Pixel {
    uint8_t r, g, b, a;
};
struct Mixed {
    float a;
    int b;
};
struct Point {
    double x, y;
};
struct Nested {
    Vec2 at;
    Vec3 to;
};

LOOM_ACCEL float difference(Vec2 a, Vec2 b)
{
    return a.x * b.x - a.y * b.y;
}

LOOM_ACCEL Vec3 cross(Vec3 a, Vec3 b)
{
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

LOOM_ACCEL int luma(Pixel p)
{
    return (p.r * 77 + p.g * 151 + p.b * 28) >> 8;
}

LOOM_ACCEL float both(Mixed m)
{
    return m.a + static_cast<float>(m.b);
}

LOOM_ACCEL double distance(Point p, Point q)
{
    return (p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y);
}

LOOM_ACCEL void sweep(Vec2 step, Vec2 *out, int n)
{
    Vec2 at = {0, 0};
    for (int i = 0; i < n; i++) {
        out[i] = at;
        at.x += step.x;
        at.y += step.y;
    }
}

// Too large for registers: the caller's memory.
LOOM_ACCEL float reach(Nested n)
{
    return n.to.x - n.at.x + n.to.y - n.at.y + n.to.z;
}

int main()
{
    int wrong = 0;
    wrong += difference({1, 2}, {3, 4}) != -5;
    const Vec3 c = cross({1, 2, 3}, {4, 5, 6});
    wrong += c.x != -3 || c.y != 6 || c.z != -3;
    wrong += luma({255, 0, 10, 3}) != 77;
    wrong += luma({0, 255, 0, 255}) != 150;
    wrong += both({0.5f, -3}) != -2.5f;
    wrong += distance({0, 0}, {3, 4}) != 25;
    Vec2 out[4];
    sweep({1, -2}, out, 4);
    wrong += out[3].x != 3 || out[3].y != -6 || out[0].x != 0;
    wrong += reach({{1, 2}, {5, 7, 0.5f}}) != 9.5f;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
