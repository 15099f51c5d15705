#include "loom.h"

struct node {
    int value;
    struct node *next;
};

LOOM_ACCEL int total(const struct node *list)
{
    int sum = 0;
    for (; list; list = list->next)
        sum += list->value;
    return sum;
}
