// Four threads call one function, a thousand times together.
#include "loom.h"
#include <pthread.h>
#include <stdio.h>

LOOM_ACCEL void add(int *a, int n, int by)
{
    for (int i = 0; i < n; i++)
        a[i] += by;
}

static int sums[4][3];

static void *work(void *number)
{
    const long k = (long)number;
    for (int i = 0; i < 250; i++)
        add(sums[k], 3, i);
    return NULL;
}

int main(void)
{
    pthread_t threads[4];
    int bad = 0;
    for (long k = 0; k < 4; k++)
        pthread_create(&threads[k], NULL, work, (void *)k);
    for (int k = 0; k < 4; k++) {
        pthread_join(threads[k], NULL);
        for (int i = 0; i < 3; i++)
            bad += sums[k][i] != 250 * 249 / 2;
    }
    printf("%d wrong\n", bad);
    return bad != 0;
}
