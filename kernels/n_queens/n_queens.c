// Search: counts the ways to place n queens by backtracking on bits, without recursion.
// Richards' algorithm (1997). A depth that goes up and down in one loop, four small stacks, the lowest set bit as the next
// try: a search tree walked by a state machine.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

LOOM_ACCEL uint32_t n_queens(uint32_t n)
{
    uint32_t columns[16], left[16], right[16], free[16];
    const uint32_t all = (1u << n) - 1;
    uint32_t solutions = 0;
    int depth = 0;
    columns[0] = left[0] = right[0] = 0;
    free[0] = all;
    while (depth >= 0) {
        if (columns[depth] == all) {
            solutions++;
            depth--;
            continue;
        }
        if (free[depth] == 0) {
            depth--;
            continue;
        }
        const uint32_t bit = free[depth] & (0u - free[depth]);
        free[depth] ^= bit;
        columns[depth + 1] = columns[depth] | bit;
        left[depth + 1] = (left[depth] | bit) << 1;
        right[depth + 1] = (right[depth] | bit) >> 1;
        depth++;
        free[depth] = all & ~(columns[depth] | left[depth] | right[depth]);
    }
    return solutions;
}

int main(void)
{
    static const uint32_t known[] = {1, 1, 0, 0, 2, 10, 4, 40, 92};
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof known / sizeof known[0]); calls++)
        bad += n_queens((uint32_t)calls) != known[calls];
    // Once more by trying all permutations of six.
    uint32_t found = 0;
    for (int number = 0; number < 46656; number++) {
        int fits = 1;
        for (int a = 0, va = number; a < 6; a++, va /= 6)
            for (int b = a + 1, vb = va / 6; b < 6; b++, vb /= 6) {
                const int d = va % 6 - vb % 6;
                fits &= d != 0 && d != b - a && d != a - b;
            }
        found += (uint32_t)fits;
    }
    bad += found != n_queens(6);
    printf("n_queens: %d boards, %d wrong\n", calls + 1, bad);
    return bad != 0;
}
