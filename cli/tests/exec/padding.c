// Structs with padding at their ends and between fields that are taken out, put back and changed as wholes, in a loop: what lies
// between the fields is moved by nobody, so the array keeps a memory for each width.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

#define N 24

struct slot {
    uint32_t key, value;
    uint8_t used;
};

struct gap {
    uint8_t tag;
    uint32_t count;
    uint16_t low;
};

// Puts a slot in order, each one that is in the way further back.
LOOM_ACCEL int32_t insert(struct slot *t, int32_t n, uint32_t key)
{
    struct slot s = {key, key * 3, 1};
    for (int32_t i = 0; i < n; i++) {
        struct slot *at = &t[i];
        if (!at->used) {
            *at = s;
            return i;
        }
        if (at->key > s.key) {
            struct slot old = *at;
            *at = s;
            s = old;
        }
    }
    return -1;
}

LOOM_ACCEL void turn(struct gap *restrict g, int32_t n)
{
    for (int32_t i = 0, j = n - 1; i < j; i++, j--) {
        struct gap left = g[i], right = g[j];
        left.count += right.tag;
        g[i] = right;
        g[j] = left;
    }
}

int main(void)
{
    static struct slot t[N];
    static struct gap g[N], want[N];
    int bad = 0;
    for (int k = 0; k < N; k++)
        bad += insert(t, N, (uint32_t)(k * 37 % 101)) != k;
    bad += insert(t, N, 500) != -1;
    for (int i = 0; i < N; i++)
        bad += t[i].used != 1 || t[i].value != t[i].key * 3 || (i && t[i].key <= t[i - 1].key);
    for (int n = 0; n <= N; n += 3) {
        for (int i = 0; i < N; i++)
            want[i] = g[i] = (struct gap){(uint8_t)(i * 11), (uint32_t)(i * i + n), (uint16_t)(i ^ 5)};
        for (int i = 0, j = n - 1; i < j; i++, j--) {
            struct gap left = want[i];
            left.count += want[j].tag;
            want[i] = want[j];
            want[j] = left;
        }
        turn(g, n);
        for (int i = 0; i < N; i++)
            bad += g[i].tag != want[i].tag || g[i].count != want[i].count || g[i].low != want[i].low;
    }
    printf("%d wrong\n", bad);
    return bad;
}
