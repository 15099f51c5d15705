#include "loom.h"
#include <stdint.h>
#include <stdio.h>

struct range {
    int32_t low, high;
    int64_t sum;
};
struct place {
    float x, y;
};
struct mean {
    double value;
    uint8_t known;
};

LOOM_ACCEL struct range range(const int32_t *a, int n)
{
    struct range r = {0, 0, 0};
    for (int i = 0; i < n; i++) {
        r.low = a[i] < r.low ? a[i] : r.low;
        r.high = a[i] > r.high ? a[i] : r.high;
        r.sum += a[i];
    }
    return r;
}

LOOM_ACCEL struct place turned(float x, float y) { return (struct place){y, x + 1.0f}; }

// A vector in registers, put together in the loop that it leaves.
LOOM_ACCEL struct place walked(const int32_t *steps, int n)
{
    struct place p = {0.5f, 1.0f};
    for (int i = 0; i < n; i++)
        p.x += (float)steps[i];
    return p;
}

// More numbers come back than go in.
LOOM_ACCEL struct mean mean(const int32_t *a)
{
    struct mean m = {0.0, 0};
    if (a) {
        m.value = (a[0] + a[1]) / 2.0;
        m.known = 1;
    }
    return m;
}

// Either array may be missing.
LOOM_ACCEL int weigh(const int32_t *a, const int32_t *b, int n)
{
    int sum = 0;
    const int32_t *some = n & 1 ? a : b;
    if (!some)
        return -1;
    for (int i = 0; i < n; i++)
        sum += (a ? a[i] : 1) * (b != NULL ? b[i] : 10);
    return sum + some[0];
}

int main(void)
{
    static const int32_t a[4] = {3, -2, 9, 5}, b[4] = {1, 2, 3, 4};
    int bad = 0;
    const struct range r = range(a, 4), none = range(NULL, 0);
    bad += r.low != -2 || r.high != 9 || r.sum != 15 || none.low || none.high || none.sum;
    const struct place p = turned(2.5f, 4.0f);
    bad += p.x != 4.0f || p.y != 3.5f;
    const struct place q = walked(a, 4);
    bad += q.x != 15.5f || q.y != 1.0f;
    const struct mean m = mean(a), unknown = mean(NULL);
    bad += m.value != 0.5 || m.known != 1 || unknown.value != 0.0 || unknown.known != 0;
    bad += weigh(a, b, 3) != 3 - 4 + 27 + 3;
    bad += weigh(a, b, 2) != 3 - 4 + 1;
    bad += weigh(a, NULL, 3) != 100 + 3;
    bad += weigh(NULL, b, 2) != 3 + 1;
    bad += weigh(NULL, b, 1) != -1;
    bad += weigh(a, NULL, 4) != -1;
    printf("%d wrong\n", bad);
    return bad != 0;
}
