// Dynamic programming: fewest coins for every amount, and which coin comes last.
// Textbook. A minimum over a few coins for each amount, with reads far back in the array that is being written, a sentinel
// for what cannot be paid, and the coin that won.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

#define NEVER UINT16_MAX

LOOM_ACCEL void coin_change(const uint16_t *coins, int kinds, uint16_t *fewest, uint16_t *last, int amounts)
{
    fewest[0] = 0;
    last[0] = 0;
    for (int a = 1; a < amounts; a++) {
        uint16_t best = NEVER, with = 0;
        for (int k = 0; k < kinds; k++) {
            const int rest = a - coins[k];
            if (rest < 0 || fewest[rest] == NEVER)
                continue;
            if (fewest[rest] + 1 < best) {
                best = (uint16_t)(fewest[rest] + 1);
                with = coins[k];
            }
        }
        fewest[a] = best;
        last[a] = with;
    }
}

#define AMOUNTS 600

int main(void)
{
    static const uint16_t sets[][5] = {{1, 7, 10, 22, 60}, {6, 9, 20, 0, 0}, {5, 0, 0, 0, 0}, {1, 2, 5, 10, 50}, {77, 33, 4, 0, 0}};
    static const int kinds[] = {5, 3, 1, 0, 3}, sizes[] = {AMOUNTS, 200, 101, 30, 500};
    static uint16_t fewest[AMOUNTS], last[AMOUNTS];
    static uint8_t reach[2][AMOUNTS];
    int bad = 0, calls = 0, impossible = 0;
    for (; calls < 5; calls++) {
        const int n = sizes[calls];
        for (int a = 0; a < n; a++)
            fewest[a] = last[a] = 7;
        coin_change(sets[calls], kinds[calls], fewest, last, n);
        // In rounds: all amounts that some number of coins makes; the first round that makes one is its answer.
        static uint16_t first[AMOUNTS];
        for (int a = 0; a < n; a++) {
            first[a] = a ? NEVER : 0;
            reach[0][a] = a == 0;
        }
        for (int round = 1; round < n; round++) {
            for (int a = 0; a < n; a++) {
                reach[round % 2][a] = 0;
                for (int k = 0; k < kinds[calls]; k++)
                    reach[round % 2][a] |= a >= sets[calls][k] && reach[(round + 1) % 2][a - sets[calls][k]];
                if (reach[round % 2][a] && first[a] == NEVER)
                    first[a] = (uint16_t)round;
            }
        }
        for (int a = 0; a < n; a++) {
            bad += fewest[a] != first[a];
            impossible += fewest[a] == NEVER;
            // Taking the last coin away, again and again, uses as many coins.
            int left = a, used = 0;
            while (left > 0 && last[left] > 0 && fewest[a] != NEVER) {
                left -= last[left];
                used++;
            }
            bad += fewest[a] != NEVER && (left != 0 || used != fewest[a]);
        }
    }
    printf("coin_change: %d sets of coins, %d amounts impossible, %d wrong\n", calls, impossible, bad);
    return bad != 0;
}
