// Dynamic programming: longest strictly increasing subsequence by patience sorting, with the subsequence itself.
// Schensted 1961, Fredman 1975. A binary search inside a loop over a table that every step changes, then a chain of
// predecessors written out backwards.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>

#define MAX 400

LOOM_ACCEL int longest_increasing(const int32_t *v, int n, int16_t *chain)
{
    int16_t tail[MAX], before[MAX];
    int length = 0;
    for (int i = 0; i < n; i++) {
        int low = 0, high = length;
        while (low < high) {
            const int middle = (low + high) / 2;
            if (v[tail[middle]] < v[i])
                low = middle + 1;
            else
                high = middle;
        }
        before[i] = low > 0 ? tail[low - 1] : -1;
        tail[low] = (int16_t)i;
        if (low == length)
            length++;
    }
    int at = length > 0 ? tail[length - 1] : -1;
    for (int k = length - 1; k >= 0; k--) {
        chain[k] = (int16_t)at;
        at = before[at];
    }
    return length;
}

int main(void)
{
    static const int sizes[] = {MAX, 0, 1, 2, 90, 300, 120};
    static int32_t v[MAX];
    static int16_t chain[MAX];
    static int ending[MAX];
    uint32_t state = 36;
    int bad = 0, calls = 0;
    for (; calls < (int)(sizeof sizes / sizeof sizes[0]); calls++) {
        const int n = sizes[calls];
        for (int i = 0; i < n; i++) {
            state = state * 69069u + 3u;
            v[i] = (int32_t)state >> (calls == 4 ? 28 : 0);
            if (calls == 5)
                v[i] = i;
            if (calls == 6)
                v[i] = -i;
        }
        const int length = longest_increasing(v, n, chain);
        // The quadratic recurrence: longest one that ends at each place.
        int longest = 0;
        for (int i = 0; i < n; i++) {
            ending[i] = 1;
            for (int j = 0; j < i; j++)
                if (v[j] < v[i] && ending[j] >= ending[i])
                    ending[i] = ending[j] + 1;
            longest = ending[i] > longest ? ending[i] : longest;
        }
        bad += length != longest;
        for (int k = 1; k < length; k++)
            bad += chain[k] <= chain[k - 1] || v[chain[k]] <= v[chain[k - 1]];
        bad += length > 0 && (chain[0] < 0 || chain[length - 1] >= n);
    }
    printf("longest_increasing: %d sequences, %d wrong\n", calls, bad);
    return bad != 0;
}
