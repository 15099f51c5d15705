// Dynamic programming: 0/1 knapsack, best value for every capacity in one array.
// Bellman 1957. The inner loop counts down, so that each item is used once; it reads at a distance that is data and
// writes where it stands.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

struct item {
    uint32_t weight, value;
};

LOOM_ACCEL uint32_t knapsack(const struct item *items, int n, uint32_t capacity, uint32_t *best)
{
    for (uint32_t c = 0; c <= capacity; c++)
        best[c] = 0;
    for (int i = 0; i < n; i++) {
        const uint32_t weight = items[i].weight, value = items[i].value;
        for (uint32_t c = capacity; c >= weight; c--) {
            const uint32_t with = best[c - weight] + value;
            if (with > best[c])
                best[c] = with;
            if (c == 0)
                break;
        }
    }
    return best[capacity];
}

#define CAPACITY 300
#define ITEMS 16

int main(void)
{
    static const uint32_t sizes[][2] = {{ITEMS, CAPACITY}, {0, 10}, {1, 0}, {1, 9}, {12, 77}};
    static uint32_t best[CAPACITY + 2], weight_of[1 << ITEMS], value_of[1 << ITEMS];
    struct item items[ITEMS];
    uint32_t state = 24;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int n = (int)sizes[calls][0];
        const uint32_t capacity = sizes[calls][1];
        for (int i = 0; i < ITEMS; i++) {
            state = state * 1664525u + 1013904223u;
            items[i] = (struct item){i == 3 ? 0 : 1 + (state >> 16) % 60, 1 + (state >> 8 & 255)};
        }
        best[capacity + 1] = 4242;
        const uint32_t found = knapsack(items, n, capacity, best);
        bad += best[capacity + 1] != 4242;
        // All subsets, each from the one without its highest item.
        static uint32_t want[CAPACITY + 1];
        for (uint32_t c = 0; c <= capacity; c++)
            want[c] = 0;
        for (uint32_t set = 0; set < 1u << n; set++) {
            int high = n - 1;
            while (high >= 0 && !(set >> high & 1))
                high--;
            const uint32_t rest = high < 0 ? 0 : set & ~(1u << high);
            weight_of[set] = high < 0 ? 0 : weight_of[rest] + items[high].weight;
            value_of[set] = high < 0 ? 0 : value_of[rest] + items[high].value;
            if (weight_of[set] <= capacity && value_of[set] > want[weight_of[set]])
                want[weight_of[set]] = value_of[set];
        }
        for (uint32_t c = 0; c <= capacity; c++) {
            if (c > 0 && want[c] < want[c - 1])
                want[c] = want[c - 1];
            bad += best[c] != want[c];
        }
        bad += found != want[capacity];
    }
    printf("knapsack: %d knapsacks, %d values wrong\n", calls, bad);
    return bad != 0;
}
