// Data structures: hash table with open addressing, insert and count, 64-bit keys.
// Word counts and joins in databases. Probes go on until a free place or the key is found, through a loop that wraps at a
// mask; what one key stores decides where the next ones go.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

struct slot {
    uint64_t key;
    uint32_t count;
};

// Counts each key; key 0 is not allowed. Returns how many different ones there are, or -1 when the table is full.
LOOM_ACCEL int32_t hash_table(const uint64_t *restrict keys, uint32_t n, struct slot *restrict table, uint32_t bits)
{
    const uint32_t mask = (1u << bits) - 1;
    int32_t used = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t key = keys[i];
        uint32_t at = (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - bits));
        while (table[at].key != key && table[at].count != 0) {
            LOOM_TRIP(0, 4);
            at = (at + 1) & mask;
        }
        if (table[at].count == 0) {
            if ((uint32_t)used == mask)
                return -1;
            table[at].key = key;
            used++;
        }
        table[at].count++;
    }
    return used;
}

#define N 900
#define BITS 8

int main(void)
{
    static uint64_t keys[N];
    static struct slot table[1 << BITS];
    static const uint32_t sizes[] = {N, 0, 1, 100};
    uint64_t state = 6;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const uint32_t n = sizes[calls];
        for (uint32_t i = 0; i < N; i++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            keys[i] = ((state >> 40) % 190 + 1) * UINT64_C(1000000007) << (calls % 3 * 16);
        }
        for (int i = 0; i < 1 << BITS; i++)
            table[i] = (struct slot){0, 0};
        const int32_t used = hash_table(keys, n, table, BITS);
        // Each key is there once, with as many counts as it has places in the list.
        int32_t filled = 0, different = 0;
        for (int i = 0; i < 1 << BITS; i++)
            filled += table[i].count != 0;
        for (uint32_t i = 0; i < n; i++) {
            uint32_t times = 0, first = 1;
            for (uint32_t j = 0; j < n; j++) {
                times += keys[j] == keys[i];
                first &= !(j < i && keys[j] == keys[i]);
            }
            different += (int32_t)first;
            uint32_t found = 0;
            for (int s = 0; s < 1 << BITS; s++)
                found += table[s].count != 0 && table[s].key == keys[i] ? table[s].count : 0;
            bad += found != times;
        }
        bad += used != different || filled != different;
    }
    // Eight different keys do not fit into a table of eight, of which one place must stay free.
    for (uint32_t i = 0; i < 8; i++)
        keys[i] = i + 1;
    for (int i = 0; i < 8; i++)
        table[i].count = 0;
    bad += hash_table(keys, 8, table, 3) != -1;
    printf("hash_table: %d tables, %d wrong\n", calls + 1, bad);
    return bad != 0;
}
