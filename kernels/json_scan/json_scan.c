// Parsers: checks that a text is JSON, as far as brackets, strings, numbers and words go, and how deep it nests.
// State machines of scanners. States and jumps between them by goto, as such code is often written, a stack of brackets in
// the bits of one word, and early returns with the place of the mistake.
#include "loom.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static inline int is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static inline int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// Returns the depth, or -1 - place of the first character that is wrong. The text ends with a zero byte.
LOOM_ACCEL int json_scan(const char *s)
{
    uint64_t objects = 0;
    int depth = 0, deepest = 0, i = 0, key = 0;
value:
    while (is_space(s[i]))
        i++;
    if (s[i] == '{' || s[i] == '[') {
        if (depth == 63)
            return -1 - i;
        objects = objects << 1 | (s[i] == '{');
        depth++;
        if (depth > deepest)
            deepest = depth;
        i++;
        while (is_space(s[i]))
            i++;
        if (s[i] == ((objects & 1) ? '}' : ']'))
            goto close;
        if (objects & 1)
            goto member;
        goto value;
    }
    if (s[i] == '"')
        goto string;
    if (s[i] == '-' || is_digit(s[i])) {
        if (s[i] == '-')
            i++;
        if (!is_digit(s[i]))
            return -1 - i;
        if (s[i] == '0')
            i++;
        else
            while (is_digit(s[i]))
                i++;
        if (s[i] == '.') {
            i++;
            if (!is_digit(s[i]))
                return -1 - i;
            while (is_digit(s[i]))
                i++;
        }
        if (s[i] == 'e' || s[i] == 'E') {
            i++;
            if (s[i] == '+' || s[i] == '-')
                i++;
            if (!is_digit(s[i]))
                return -1 - i;
            while (is_digit(s[i]))
                i++;
        }
        goto after;
    }
    {
        const char *word = s[i] == 't' ? "true" : s[i] == 'f' ? "false" : s[i] == 'n' ? "null" : "?";
        for (; *word; word++, i++)
            if (s[i] != *word)
                return -1 - i;
        goto after;
    }
member:
    while (is_space(s[i]))
        i++;
    if (s[i] != '"')
        return -1 - i;
    key = 1;
string:
    for (i++; s[i] != '"'; i++) {
        if ((unsigned char)s[i] < 32)
            return -1 - i;
        if (s[i] != '\\')
            continue;
        i++;
        if (s[i] == 'u') {
            for (int k = 0; k < 4; k++) {
                i++;
                const char lower = (char)(s[i] | 32);
                if (!is_digit(s[i]) && !(lower >= 'a' && lower <= 'f'))
                    return -1 - i;
            }
        } else if (s[i] != '"' && s[i] != '\\' && s[i] != '/' && s[i] != 'b' && s[i] != 'f' && s[i] != 'n' &&
                   s[i] != 'r' && s[i] != 't') {
            return -1 - i;
        }
    }
    i++;
    if (key) {
        key = 0;
        while (is_space(s[i]))
            i++;
        if (s[i] != ':')
            return -1 - i;
        i++;
        goto value;
    }
after:
    while (is_space(s[i]))
        i++;
    if (depth == 0)
        return s[i] == '\0' ? deepest : -1 - i;
    if (s[i] == ',') {
        i++;
        if (objects & 1)
            goto member;
        goto value;
    }
    if (s[i] != ((objects & 1) ? '}' : ']'))
        return -1 - i;
close:
    i++;
    objects >>= 1;
    depth--;
    goto after;
}

// Writes a random text that is JSON, at most so deep; returns the depth it has.
static int make(char *to, uint32_t *state, int depth)
{
    static const char *const leaf[] = {"0", "-12.5e+3", "true", "null", "\"a\\u00e9\\n\"", " false ", "\"\"", "7E2"};
    *state = *state * 1664525u + 1013904223u;
    const uint32_t kind = *state >> 28, members = *state >> 20 & 3;
    if (depth == 0 || kind < 4) {
        strcpy(to, leaf[*state >> 16 & 7]);
        return 0;
    }
    const int object = kind & 1;
    int deepest = 0;
    strcpy(to, object ? "{ " : "[");
    for (uint32_t m = 0; m < members; m++) {
        strcat(to, m ? "," : "");
        strcat(to, object ? "\"k\" :\n" : "");
        const int d = make(to + strlen(to), state, depth - 1);
        deepest = d > deepest ? d : deepest;
    }
    strcat(to, object ? "}" : " ]");
    return deepest + 1;
}

int main(void)
{
    static const struct {
        const char *text;
        int result;
    } known[] = {{"", -1},        {"1", 0},          {" [ ] ", 1},      {"[1,]", -4},         {"{\"a\":[{}]}", 3},
                 {"{1:2}", -2},   {"[1 2]", -4},     {"01", -2},        {"-", -2},            {"1.", -3},
                 {"1e", -3},      {"\"\\x\"", -3},   {"\"\\u12g4\"", -6}, {"tru", -4},        {"[}", -2},
                 {"{\"a\" 1}", -6}, {"\"open", -6},  {"null x", -6},    {"[[[[]]]]", 4},      {"{\"a\":1]", -7}};
    static char text[20000];
    uint32_t state = 1;
    int bad = 0, calls = 0;
    size_t characters = 0;
    for (; calls < (int)(sizeof known / sizeof known[0]); calls++)
        bad += json_scan(known[calls].text) != known[calls].result;
    for (; calls < 120; calls++) {
        const int depth = make(text, &state, 6);
        bad += json_scan(text) != depth;
        // A bracket more at the end is wrong just there.
        const size_t length = strlen(text);
        characters += 2 * length;
        strcat(text, "]");
        bad += json_scan(text) != -1 - (int)length;
    }
    printf("json_scan: %d texts, %lu characters, %d wrong\n", calls, (unsigned long)characters, bad);
    return bad != 0;
}
