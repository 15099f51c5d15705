// Stencils: Conway's Game of Life on a torus, one byte a cell, several generations in place.
// Gardner 1970. Two row buffers remember what has been overwritten, neighbours wrap around at the borders, and the rule is
// a few comparisons.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define MAX 32

// Returns how many cells live at the end.
LOOM_ACCEL int game_of_life(uint8_t *cell, int width, int height, int generations)
{
    uint8_t above[MAX], here[MAX], first[MAX];
    int alive = 0;
    for (int g = 0; g < generations; g++) {
        alive = 0;
        memcpy(above, cell + (height - 1) * width, (size_t)width);
        memcpy(first, cell, (size_t)width);
        for (int y = 0; y < height; y++) {
            uint8_t *row = cell + y * width;
            const uint8_t *below = y + 1 < height ? row + width : first;
            for (int x = 0; x < width; x++)
                here[x] = row[x];
            for (int x = 0; x < width; x++) {
                const int left = x > 0 ? x - 1 : width - 1, right = x + 1 < width ? x + 1 : 0;
                const int around = above[left] + above[x] + above[right] + here[left] + here[right] + below[left] +
                                   below[x] + below[right];
                row[x] = around == 3 || (around == 2 && here[x]);
                alive += row[x];
            }
            for (int x = 0; x < width; x++)
                above[x] = here[x];
        }
    }
    return alive;
}

int main(void)
{
    static const int sizes[][3] = {{MAX, MAX, 2}, {7, 5, 9}, {3, 3, 4}, {20, 11, 0}, {MAX, 9, 6}};
    static uint8_t cell[MAX * MAX], want[MAX * MAX], next[MAX * MAX];
    uint32_t state = 20;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int width = sizes[calls][0], height = sizes[calls][1], generations = sizes[calls][2];
        int alive = 0;
        for (int i = 0; i < width * height; i++) {
            state = state * 1664525u + 1013904223u;
            cell[i] = want[i] = state >> 30 == 0;
        }
        // Each living cell adds one to its neighbours.
        for (int g = 0; g < generations; g++) {
            memset(next, 0, sizeof next);
            for (int i = 0; i < width * height; i++)
                for (int k = 0; k < 9 && want[i]; k++)
                    if (k != 4)
                        next[(i / width + k / 3 + height - 1) % height * width + (i % width + k % 3 + width - 1) % width]++;
            alive = 0;
            for (int i = 0; i < width * height; i++) {
                want[i] = (next[i] | want[i]) == 3;
                alive += want[i];
            }
        }
        bad += game_of_life(cell, width, height, generations) != alive;
        bad += memcmp(cell, want, (size_t)(width * height)) != 0;
    }
    // A glider comes back to its place, once around.
    static const uint8_t glider[9] = {0, 1, 0, 0, 0, 1, 1, 1, 1};
    memset(cell, 0, sizeof cell);
    for (int i = 0; i < 9; i++)
        cell[i / 3 * 6 + i % 3] = glider[i];
    memcpy(want, cell, 36);
    bad += game_of_life(cell, 6, 6, 24) != 5 || memcmp(cell, want, 36) != 0;
    printf("game_of_life: %d worlds, %d wrong\n", calls + 1, bad);
    return bad != 0;
}
