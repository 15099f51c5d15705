// Image: binary erosion with a 3 by 3 square, 64 pixels in a word.
// Document scanning. Bit-parallel: a pixel's neighbours are shifts of its word with bits carried in from the words beside
// it, so all of the work is 64-bit logic and two loads ahead.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

#define WORDS 6
#define ROWS 80

// Everything outside of the image counts as set.
LOOM_ACCEL void erode64(const uint64_t *restrict in, uint64_t *restrict out, int words, int rows)
{
    for (int y = 0; y < rows; y++) {
        LOOM_INDEPENDENT;
        for (int w = 0; w < words; w++) {
            LOOM_INDEPENDENT;
            uint64_t acc = ~UINT64_C(0);
            for (int dy = -1; dy <= 1; dy++) {
                LOOM_UNROLL(3);
                if (y + dy < 0 || y + dy >= rows)
                    continue;
                const uint64_t *row = in + (y + dy) * words;
                const uint64_t here = row[w];
                const uint64_t before = w > 0 ? row[w - 1] : ~UINT64_C(0);
                const uint64_t after = w + 1 < words ? row[w + 1] : ~UINT64_C(0);
                acc &= here & (here << 1 | before >> 63) & (here >> 1 | after << 63);
            }
            out[y * words + w] = acc;
        }
    }
}

static int pixel(const uint64_t *image, int words, int rows, int x, int y)
{
    return x < 0 || y < 0 || x >= 64 * words || y >= rows || (image[y * words + x / 64] >> (x % 64) & 1);
}

int main(void)
{
    static const int sizes[][2] = {{WORDS, ROWS}, {0, 3}, {3, 0}, {1, 1}, {2, 30}};
    static uint64_t in[WORDS * ROWS], out[WORDS * ROWS];
    uint64_t state = 88172645463325252u;
    int bad = 0, calls = 0, set = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int words = sizes[calls][0], rows = sizes[calls][1];
        for (int i = 0; i < WORDS * ROWS; i++) {
            in[i] = 0;
            for (int k = 0; k < 5; k++) {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                in[i] |= state;
            }
        }
        erode64(in, out, words, rows);
        for (int y = 0; y < rows; y++)
            for (int x = 0; x < 64 * words; x++) {
                int all = 1;
                for (int k = 0; k < 9; k++)
                    all &= pixel(in, words, rows, x + k % 3 - 1, y + k / 3 - 1);
                bad += pixel(out, words, rows, x, y) != all;
                set += all;
            }
    }
    printf("erode64: %d images, %d pixels left, %d wrong\n", calls, set, bad);
    return bad != 0 || set == 0;
}
