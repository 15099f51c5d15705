// Indices that leave a local array: one that is written, and a table that is read.
#include "loom.h"

#include <stdio.h>

LOOM_ACCEL int histogram(int n, const int *values)
{
    int counts[16] = {0};
    for (int i = 0; i < n; i++)
        counts[values[i]]++;
    int most = 0;
    for (int i = 0; i < 16; i++)
        most = counts[i] > most ? counts[i] : most;
    return most;
}

LOOM_ACCEL int weight(int n, const int *values)
{
    static const int table[5] = {9, 7, 5, 3, 1};
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += table[values[i]];
    return sum;
}

int main(int argc, char **argv)
{
    int values[4] = {1, 3, 2, 3};
    printf("%d\n", histogram(4, values));
    printf("%d\n", weight(4, values));
    fflush(stdout);
    values[2] = argc > 1 && argv[1][0] == 't' ? -1 : 400;
    if (argc > 1 && argv[1][0] == 't')
        return weight(4, values);
    return histogram(4, values);
}
