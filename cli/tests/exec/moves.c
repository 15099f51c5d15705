// Parts of an array to other places in it, forwards and backwards, and structs with padding.
#include "loom.h"
#include <stdio.h>
#include <string.h>

LOOM_ACCEL int edit(char *text, int length, const int *ops, int count)
{
    for (int i = 0; i < count; i++) {
        int at = ops[2 * i], what = ops[2 * i + 1];
        if (what < 0) {
            memmove(text + at, text + at + 1, length - at - 1);
            length--;
        } else {
            memmove(text + at + 1, text + at, length - at);
            text[at] = (char)what;
            length++;
        }
    }
    return length;
}

LOOM_ACCEL void shift(short *a, int to, int from)
{
    memmove(a + to, a + from, 6 * sizeof *a);
    memmove(a + 1, a, 12 * sizeof *a);
}

typedef struct { char tag; int value; short weight; } record;

LOOM_ACCEL void sort(record *a, int n)
{
    for (int i = 1; i < n; i++) {
        record key = a[i];
        int j = i - 1;
        while (j >= 0 && a[j].value > key.value) {
            a[j + 1] = a[j];
            j--;
        }
        a[j + 1] = key;
    }
}

int main(void)
{
    char text[32] = "helo wrld!";
    const int ops[] = {3, 'l', 7, 'o', 11, -1, 0, -1, 0, 'J'};
    int length = edit(text, 10, ops, 5);
    int bad = length != 11 || memcmp(text, "Jello world", 11);
    for (int to = 0; to < 16; to += 3)
        for (int from = 0; from < 16; from += 5) {
            short a[32], b[32];
            for (int i = 0; i < 32; i++)
                a[i] = b[i] = (short)(i * 7);
            shift(a, to, from);
            memmove(b + to, b + from, 6 * sizeof *b);
            memmove(b + 1, b, 12 * sizeof *b);
            bad += memcmp(a, b, sizeof a) != 0;
        }
    record r[5] = {{'d', 40, 4}, {'a', 10, 1}, {'e', 50, 5}, {'b', 20, 2}, {'c', 30, 3}};
    sort(r, 5);
    for (int i = 0; i < 5; i++)
        bad += r[i].tag != 'a' + i || r[i].value != 10 * (i + 1) || r[i].weight != i + 1;
    printf("%d wrong\n", bad);
    return bad;
}
