// Strings: lines, words and characters of a text, and the longest line.
// Unix's wc; Kernighan and Ritchie's first programs. A flag carried from byte to byte decides what counts; four results go
// out through one structure.
#include "loom.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct counts {
    uint32_t lines, words, characters, longest;
};

LOOM_ACCEL void word_count(const char *text, struct counts *c)
{
    bool inside = false;
    uint32_t column = 0;
    for (; *text; text++) {
        c->characters++;
        if (*text == '\n') {
            c->lines++;
            if (column > c->longest)
                c->longest = column;
            column = 0;
        } else {
            column++;
        }
        const bool space = *text == ' ' || *text == '\n' || *text == '\t';
        if (!space && !inside)
            c->words++;
        inside = !space;
    }
    if (column > c->longest)
        c->longest = column;
}

int main(void)
{
    static char text[3000];
    uint32_t state = 70;
    int bad = 0, calls = 0;
    for (; calls < 5; calls++) {
        const int n = calls == 0 ? 2999 : calls == 4 ? 900 : calls - 1;
        for (int i = 0; i < n; i++) {
            state = state * 1664525u + 1013904223u;
            text[i] = state >> 28 < 3 ? " \t\n"[(state >> 20) % 3] : (char)('a' + (state >> 16) % 26);
        }
        text[n] = '\0';
        struct counts c = {0, 0, 0, 0};
        word_count(text, &c);
        // The library takes the text apart.
        uint32_t words = 0, lines = 0, longest = 0;
        const char *rest = text, *end;
        for (; (end = strchr(rest, '\n')) != NULL; rest = end + 1, lines++)
            longest = (uint32_t)(end - rest) > longest ? (uint32_t)(end - rest) : longest;
        longest = strlen(rest) > longest ? (uint32_t)strlen(rest) : longest;
        for (char *word = strtok(text, " \t\n"); word; word = strtok(NULL, " \t\n"))
            words++;
        bad += c.lines != lines || c.words != words || c.characters != (uint32_t)n || c.longest != longest;
    }
    // Called again with the same structure it goes on counting.
    struct counts c = {0, 0, 0, 0};
    word_count("one two\n", &c);
    word_count("three", &c);
    bad += c.lines != 1 || c.words != 3 || c.characters != 13 || c.longest != 7;
    printf("word_count: %d texts, %d wrong\n", calls + 2, bad);
    return bad != 0;
}
