// Structs with pointers to arrays: two behind one argument each, one that is not always there, one array in two of them.
#include "loom.h"

#include <stdio.h>

typedef struct {
    int length;
    const int *from;
    int *to;
} view;

LOOM_ACCEL int scaled(const view *v, int by)
{
    if (v == NULL)
        return -1;
    for (int i = 0; i < v->length; i++)
        v->to[i] = by * v->from[i];
    return v->length;
}

LOOM_ACCEL void added(view *sum, const view *other)
{
    for (int i = 0; i < other->length; i++)
        sum->to[i] += other->to[i];
    sum->length = other->length;
}

int main(void)
{
    int from[9], first[9], second[9], wrong = 0;
    for (int i = 0; i < 9; i++)
        from[i] = 10 * i - 33;
    view a = {9, from, first}, b = {9, from, second}, empty = {0, from, second};
    wrong += scaled(&a, 3) != 9;
    wrong += scaled(&b, -1) != 9;
    wrong += scaled(&empty, 7) != 0;
    wrong += scaled(NULL, 7) != -1;
    added(&a, &b);
    // An array that is added to itself.
    added(&b, &b);
    for (int i = 0; i < 9; i++)
        wrong += first[i] != 2 * from[i] || second[i] != -2 * from[i];
    wrong += a.length != 9;
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
