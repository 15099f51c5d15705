// Quotients and remainders by literals, which are products where the fabric has room for them.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void digits(uint32_t *restrict o, const uint32_t *restrict a, int n)
{
    for (int i = 0; i < n; i++)
        o[i] = a[i] / 10 + 1000 * (a[i] % 10);
}

static void days(int32_t *restrict o, const int32_t *restrict a, int n)
{
    for (int i = 0; i < n; i++)
        o[i] = a[i] / -7 + 1000 * (a[i] % 7);
}

static void thirds(uint8_t *restrict o, const uint8_t *restrict a, int n)
{
    for (int i = 0; i < n; i++)
        o[i] = a[i] / 3 + a[i] % 100;
}

LOOM_ACCEL void digits_(uint32_t *restrict o, const uint32_t *restrict a, int n) { digits(o, a, n); }
LOOM_ACCEL void days_(int32_t *restrict o, const int32_t *restrict a, int n) { days(o, a, n); }
LOOM_ACCEL void thirds_(uint8_t *restrict o, const uint8_t *restrict a, int n) { thirds(o, a, n); }

enum { N = 256 };

int main(void)
{
    uint32_t a[N], o[N], right[N];
    uint32_t x = 1;
    for (int i = 0; i < N; i++) {
        x = x * 1664525 + 1013904223;
        a[i] = i < 20 ? (uint32_t)i - 10 : i < 40 ? 0x80000000u + i - 30 : x >> (i % 32);
    }
    int wrong = 0;
    digits_(o, a, N);
    digits(right, a, N);
    wrong += memcmp(o, right, sizeof o) != 0;
    days_((int32_t *)o, (int32_t *)a, N);
    days((int32_t *)right, (int32_t *)a, N);
    wrong += memcmp(o, right, sizeof o) != 0;
    uint8_t b[N], p[N], same[N];
    for (int i = 0; i < N; i++)
        b[i] = i;
    thirds_(p, b, N);
    thirds(same, b, N);
    wrong += memcmp(p, same, sizeof p) != 0;
    printf("%d wrong\n", wrong);
    return wrong;
}
