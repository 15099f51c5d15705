int rounds;
#ifdef CLASH
#define bias offset
#endif
static int bias = 0;

#ifdef TWICE
__attribute__((annotate("loom.accel"), used)) static int twice(int x) { return x + x; }
#endif

/* Marked in no file. */
int smooth(int *a, int n)
{
    int last = 0;
    rounds++;
    for (int i = 1; i + 1 < n; i++)
        a[i] = (a[i - 1] + a[i] + a[i + 1]) / 3 + bias;
    last = a[2] + a[3];
    return last;
}
