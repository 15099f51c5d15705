// Structs of 3, 5, 6 and 7 bytes by value: as arguments, results, in arrays and in calls that become part of the function.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

typedef struct {
    uint8_t r, g, b;
} rgb;
typedef struct {
    int8_t v[5];
} five;
typedef struct {
    int16_t x, y, z;
} point;
typedef struct {
    uint8_t v[7];
} seven;

static rgb mix(rgb a, rgb b)
{
    return (rgb){(a.r + b.r) / 2, (a.g + b.g) / 2, (a.b + b.b) / 2};
}

static int luma(rgb c)
{
    return (c.r * 77 + c.g * 150 + c.b * 29) >> 8;
}

static rgb invert(rgb c)
{
    return (rgb){255 - c.r, 255 - c.g, 255 - c.b};
}

static void blend(rgb *d, const rgb *s, int n)
{
    for (int i = 0; i < n; i++)
        d[i] = mix(d[i], s[i]);
}

static int sum(five f)
{
    int s = 0;
    for (int i = 0; i < 5; i++)
        s = 3 * s + f.v[i];
    return s;
}

static int along(const point *p, int n, point by)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += (p[i].x + by.x) * (p[i].z - by.z) + p[i].y * by.y;
    return s;
}

static point turned(point p)
{
    return (point){p.z, p.x, -p.y};
}

static seven shifted(seven s, int by)
{
    return (seven){{s.v[3] + by, s.v[4], s.v[5], s.v[6] - by, s.v[0], s.v[1], s.v[2]}};
}

LOOM_ACCEL int luma_(rgb c) { return luma(c); }
LOOM_ACCEL rgb invert_(rgb c) { return invert(c); }
LOOM_ACCEL void blend_(rgb *d, const rgb *s, int n) { blend(d, s, n); }
LOOM_ACCEL int sum_(five f) { return sum(f); }
LOOM_ACCEL int along_(const point *p, int n, point by) { return along(p, n, by); }
LOOM_ACCEL point turned_(point p) { return turned(p); }
LOOM_ACCEL seven shifted_(seven s, int by) { return shifted(s, by); }

int main(void)
{
    int wrong = 0;
    rgb a[2][4];
    point p[4];
    for (int i = 0; i < 4; i++) {
        rgb c = {70 * i, 255 - i, 3 * i + 200};
        a[0][i] = a[1][i] = c;
        p[i] = (point){-30000 + i, 7 * i, 32767 - i};
        wrong += luma_(c) != luma(c);
        rgb x = invert_(c), y = invert(c);
        wrong += x.r != y.r || x.g != y.g || x.b != y.b;
        point t = turned_(p[i]), u = turned(p[i]);
        wrong += t.x != u.x || t.y != u.y || t.z != u.z;
    }
    rgb s[4] = {{1, 2, 3}, {255, 0, 255}, {9, 9, 9}, {0, 255, 1}};
    blend_(a[0], s, 4);
    blend(a[1], s, 4);
    for (int i = 0; i < 4; i++)
        wrong += a[0][i].r != a[1][i].r || a[0][i].g != a[1][i].g || a[0][i].b != a[1][i].b;
    five f = {{-128, 127, -1, 0, 5}};
    wrong += sum_(f) != sum(f);
    wrong += along_(p, 4, (point){1, -1, 2}) != along(p, 4, (point){1, -1, 2});
    seven from = {{1, 2, 3, 4, 5, 6, 255}}, to = shifted_(from, 3), same = shifted(from, 3);
    for (int i = 0; i < 7; i++)
        wrong += to.v[i] != same.v[i];
    printf("%d wrong\n", wrong);
    return wrong;
}
