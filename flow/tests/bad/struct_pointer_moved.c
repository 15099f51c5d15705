#include "loom.h"

struct window {
    int length;
    int *words;
};

LOOM_ACCEL int consume(struct window *w, int n)
{
    int sum = 0;
    for (int i = 0; i < n && w->length > 0; i++) {
        sum += *w->words++;
        w->length--;
    }
    return sum;
}
