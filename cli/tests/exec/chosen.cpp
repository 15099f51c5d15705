// Words that a reference chooses: std::min and std::max of elements of arrays.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <loom.h>

struct Row {
    uint8_t group;
    int32_t value;
};

static void least(const Row *rows, int n, int32_t *res)
{
    for (int i = 0; i < n; i++)
        res[rows[i].group] = std::min(res[rows[i].group], rows[i].value);
}

// Of three, of which the last was just written.
static int middle(const int *a, const int *b, int *c, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        c[i] = a[i] ^ b[i];
        sum += std::max(std::min(a[i], b[i]), std::min(std::max(a[i], b[i]), c[i]));
    }
    return sum;
}

// A store comes between the words and the choice of one of them.
static int changed(int *a, int n)
{
    int sum = 0;
    for (int i = 1; i < n; i++) {
        const int &low = std::min(a[i], a[i - 1]);
        a[i - 1] += 5;
        sum += low;
    }
    return sum;
}

LOOM_ACCEL void least_of_groups(const Row *rows, int n, int32_t *res) { least(rows, n, res); }
LOOM_ACCEL int sum_of_middles(const int *a, const int *b, int *c, int n) { return middle(a, b, c, n); }
LOOM_ACCEL int sum_of_lows(int *a, int n) { return changed(a, n); }

int main()
{
    Row rows[40];
    int32_t of[4] = {50, 60, 70, 80}, want[4] = {50, 60, 70, 80};
    int a[30], b[30], c[30], d[30];
    for (int i = 0; i < 40; i++)
        rows[i] = {(uint8_t)(i % 4), i * 29 % 97 - 11};
    for (int i = 0; i < 30; i++)
        a[i] = i * 31 % 41 - 20, b[i] = i * 17 % 37 - 15;
    int bad = 0;
    for (int n : {13, 0, 40}) {
        least_of_groups(rows, n, of);
        least(rows, n, want);
    }
    for (int i = 0; i < 4; i++)
        bad += of[i] != want[i];
    for (int n : {30, 0, 7})
        bad += sum_of_middles(a, b, c, n) != middle(a, b, d, n);
    std::copy(a, a + 30, b);
    for (int n : {30, 0, 7})
        bad += sum_of_lows(a, n) != changed(b, n);
    std::printf("%d wrong\n", bad);
    return bad != 0;
}
