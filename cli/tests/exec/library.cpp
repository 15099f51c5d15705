// The same in C++, where some of them are inline functions of the headers.
#include "loom.h"

#include <cctype>
#include <cstdio>
#include <cstring>
#include <string>

LOOM_ACCEL int words(const char *text)
{
    int count = 0;
    for (std::size_t i = 0, n = std::strlen(text); i < n; i++)
        count += std::isalpha(static_cast<unsigned char>(text[i])) && (i == 0 || std::isspace(text[i - 1]));
    return count;
}

LOOM_ACCEL void shout(std::string &text)
{
    for (char &c : text)
        c = static_cast<char>(std::toupper(c));
}

int main()
{
    std::string text = "so warp and weft";
    int wrong = words(text.c_str()) != 4;
    shout(text);
    wrong += text != "SO WARP AND WEFT";
    std::printf("%d wrong\n", wrong);
    return wrong;
}
