// Local arrays with contents: those that are never written are the constant itself, of the others what is known is no access.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

#define N 50

struct step {
    int16_t dx, dy;
    int32_t cost;
};

// Tables: an array, one of structs, one of rows, and one that is not `const`.
LOOM_ACCEL int32_t walk(const uint8_t *restrict moves, int32_t n)
{
    const int32_t bias[4] = {1, 0, -1, 7};
    const struct step steps[4] = {{1, 0, 10}, {0, 1, 14}, {-1, 0, 10}, {-3, -4, 50}};
    static const int8_t rows[2][3] = {{1, 2, 3}, {-4, -5, -6}};
    int32_t turn[3] = {2, 3, 5};
    int32_t x = 0, y = 0, cost = 0;
    for (int32_t i = 0; i < n; i++) {
        const struct step *s = &steps[moves[i] & 3];
        x += s->dx * bias[moves[i] >> 2 & 3];
        y += s->dy + rows[moves[i] >> 7][moves[i] % 3];
        cost += s->cost * turn[i % 3];
    }
    return cost * 10007 + x * 101 + y;
}

// Not a table: the array is written too, in some runs only.
LOOM_ACCEL uint32_t count(const uint8_t *restrict v, int32_t n)
{
    uint32_t seen[8] = {5, 4, 3, 2, 1, 9, 8, 7};
    uint32_t sum = 0;
    for (int32_t i = 0; i < n; i++) {
        sum = sum * 3 + seen[v[i] & 7];
        if (v[i] & 64)
            seen[v[i] >> 3 & 7] += i;
    }
    return sum ^ seen[0] << 8;
}

// A table that is filled anew in each iteration, and one that becomes the start of another array.
LOOM_ACCEL uint32_t often(const uint8_t *restrict v, int32_t n)
{
    uint32_t sum = 0;
    for (int32_t i = 0; i < n; i++) {
        const uint16_t fresh[5] = {3, 1, 4, 1, 5};
        uint16_t own[5] = {3, 1, 4, 1, 5};
        own[v[i] % 5] ^= fresh[(v[i] + 1) % 5];
        for (int j = 0; j < 5; j++)
            sum = sum * 7 + own[j];
    }
    return sum;
}

// The first words of a hash: known, so never loaded.
LOOM_ACCEL void mix(const uint32_t *restrict in, int32_t n, uint32_t *restrict out)
{
    uint32_t h[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    for (int32_t i = 0; i < n; i++) {
        h[0] += in[i] ^ h[3];
        h[1] ^= h[0] << 5;
        h[2] += h[1];
        h[3] = h[2] >> 3 ^ h[0];
    }
    for (int i = 0; i < 4; i++)
        out[i] = h[i];
}

static int32_t walk_again(const volatile uint8_t *moves, int32_t n)
{
    static volatile int32_t bias[4] = {1, 0, -1, 7}, turn[3] = {2, 3, 5};
    static volatile int32_t steps[4][3] = {{1, 0, 10}, {0, 1, 14}, {-1, 0, 10}, {-3, -4, 50}};
    static volatile int8_t rows[6] = {1, 2, 3, -4, -5, -6};
    int32_t x = 0, y = 0, cost = 0;
    for (int32_t i = 0; i < n; i++) {
        x += steps[moves[i] % 4][0] * bias[moves[i] / 4 % 4];
        y += steps[moves[i] % 4][1] + rows[moves[i] / 128 * 3 + moves[i] % 3];
        cost += steps[moves[i] % 4][2] * turn[i % 3];
    }
    return cost * 10007 + x * 101 + y;
}

static uint32_t count_again(const volatile uint8_t *v, int32_t n)
{
    volatile uint32_t seen[8] = {5, 4, 3, 2, 1, 9, 8, 7};
    uint32_t sum = 0;
    for (int32_t i = 0; i < n; i++) {
        sum = sum * 3 + seen[v[i] % 8];
        if (v[i] & 64)
            seen[v[i] / 8 % 8] = seen[v[i] / 8 % 8] + (uint32_t)i;
    }
    return sum ^ seen[0] << 8;
}

static uint32_t often_again(const volatile uint8_t *v, int32_t n)
{
    static volatile uint16_t digits[5] = {3, 1, 4, 1, 5};
    uint32_t sum = 0;
    for (int32_t i = 0; i < n; i++)
        for (int j = 0; j < 5; j++)
            sum = sum * 7 + (j == v[i] % 5 ? digits[j] ^ digits[(v[i] + 1) % 5] : digits[j]);
    return sum;
}

int main(void)
{
    uint8_t v[N];
    uint32_t in[N], out[4] = {0}, wrong = 0;
    for (int i = 0; i < N; i++) {
        v[i] = (uint8_t)(i * i * 91 + i * 7 + 3);
        in[i] = 0x9e3779b9u * (uint32_t)i;
    }
    static const int32_t lengths[] = {N, 0, 1, 23};
    for (unsigned k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        int32_t n = lengths[k];
        wrong += walk(v, n) != walk_again(v, n);
        wrong += count(v, n) != count_again(v, n);
        wrong += often(v, n) != often_again(v, n);
        mix(in, n, out);
        volatile uint32_t a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
        for (int32_t i = 0; i < n; i++) {
            a = a + (in[i] ^ d);
            b = b ^ a << 5;
            c = c + b;
            d = c >> 3 ^ a;
        }
        wrong += out[0] != a || out[1] != b || out[2] != c || out[3] != d;
    }
    printf("%u wrong\n", wrong);
    return wrong != 0;
}
