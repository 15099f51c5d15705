// Strings: parses signed decimal numbers separated by anything else, and says where one does not fit.
// Every reader of CSV files and logs. The position moves through three loops in turn, numbers are built by a recurrence of
// multiply and add, and overflow ends it early.
#include "loom.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// Returns how many numbers there are, or -1 - position for one that does not fit.
LOOM_ACCEL int parse_ints(const char *s, int length, int32_t *out)
{
    int made = 0, i = 0;
    for (;;) {
        while (i < length && !is_digit(s[i]))
            i++;
        if (i == length)
            return made;
        const int begin = i;
        const bool negative = begin > 0 && s[begin - 1] == '-';
        const uint32_t limit = negative ? 2147483648u : 2147483647u;
        uint32_t value = 0;
        do {
            const uint32_t digit = (uint32_t)(s[i] - '0');
            if (value > (limit - digit) / 10)
                return -1 - begin;
            value = value * 10 + digit;
            i++;
        } while (i < length && is_digit(s[i]));
        out[made++] = (int32_t)(negative ? 0u - value : value);
    }
}

int main(void)
{
    static const char *const separators[] = {" ", ", ", "; ", "\n", "\t|", " + "};
    static char text[6000];
    static int32_t want[400], out[3000];
    uint32_t state = 6;
    int bad = 0, length = 0;
    for (int i = 0; i < 400; i++) {
        state = state * 1664525u + 1013904223u;
        want[i] = i == 0 ? INT32_MIN : i == 1 ? INT32_MAX : i == 2 ? 0 : (int32_t)state >> (state >> 8 & 31);
        length += sprintf(text + length, "%ld%s", (long)want[i], separators[i % 6]);
    }
    bad += parse_ints(text, length, out) != 400;
    for (int i = 0; i < 400; i++)
        bad += out[i] != want[i];
    static const struct {
        const char *text;
        int result;
        int32_t last;
    } known[] = {{"", 0, 0},         {"-", 0, 0},      {"7", 1, 7},          {"--08", 1, -8},    {"a1b-2c+3", 3, 3},
                 {"2147483648", -1, 0}, {"1 -2147483648", 2, INT32_MIN}, {"x -2147483649", -4, 0}, {"99999999999", -1, 0}};
    for (unsigned k = 0; k < sizeof known / sizeof known[0]; k++) {
        const int result = parse_ints(known[k].text, (int)strlen(known[k].text), out);
        bad += result != known[k].result;
        bad += result > 0 && out[result - 1] != known[k].last;
    }
    printf("parse_ints: %d characters, %d wrong\n", length, bad);
    return bad != 0;
}
