// Small local arrays whose loops are short, and pointers that walk over structs: values and counted loops.
#include <array>
#include <cstdio>
#include <loom.h>

template <int R, int C> struct Matrix {
    float v[R][C];
    float operator()(int r, int c) const { return v[r][c]; }
};

template <int R, int K, int C> Matrix<R, C> operator*(const Matrix<R, K> &a, const Matrix<K, C> &b)
{
    Matrix<R, C> m;
    for (int i = 0; i < R; i++)
        for (int j = 0; j < C; j++) {
            m.v[i][j] = 0;
            for (int k = 0; k < K; k++)
                m.v[i][j] += a(i, k) * b(k, j);
        }
    return m;
}

struct Point {
    float x, y, weight;
};

static void turned(const Point *from, const Point *end, Point *to)
{
    const Matrix<2, 2> turn = {{{0.5f, -0.25f}, {0.25f, 0.5f}}};
    const Matrix<2, 2> twice = turn * turn;
    for (; from != end; ++from, ++to) {
        const Matrix<2, 1> p = twice * Matrix<2, 1>{{{from->x}, {from->y}}};
        to->x = p(0, 0);
        to->y = p(1, 0);
        to->weight += from->weight;
    }
}

LOOM_ACCEL void turn_twice(const Point *from, const Point *end, Point *to) { turned(from, end, to); }

static void ordered(const int *in, int *out, int n)
{
    static constexpr int pairs[5][2] = {{0, 1}, {2, 3}, {0, 2}, {1, 3}, {1, 2}};
    for (int i = 0; i < n; i++) {
        std::array<int, 4> a;
        for (int k = 0; k < 4; k++)
            a[k] = in[4 * i + k];
        for (const auto &pair : pairs) {
            const int low = a[pair[0]] < a[pair[1]] ? a[pair[0]] : a[pair[1]];
            a[pair[1]] = a[pair[0]] ^ a[pair[1]] ^ low;
            a[pair[0]] = low;
        }
        for (int k = 0; k < 4; k++)
            out[4 * i + k] = a[k];
    }
}

LOOM_ACCEL void sort_fours(const int *in, int *out, int n) { ordered(in, out, n); }

int main()
{
    Point from[19], to[20], want[20];
    for (int i = 0; i < 19; i++)
        from[i] = {i * 0.5f, 3.0f - i, 1.0f + i};
    for (int i = 0; i < 20; i++)
        to[i] = want[i] = {1.0f, 2.0f, i * 1.0f};
    int bad = 0;
    // All, none and some.
    for (int n : {19, 0, 7}) {
        turn_twice(from, from + n, to);
        turned(from, from + n, want);
    }
    for (int i = 0; i < 20; i++)
        bad += to[i].x != want[i].x || to[i].y != want[i].y || to[i].weight != want[i].weight;
    int in[64], out[64] = {0}, sorted[64] = {0};
    for (int i = 0; i < 64; i++)
        in[i] = i * 37 % 23 - 11;
    for (int n : {16, 0, 5}) {
        sort_fours(in, out, n);
        ordered(in, sorted, n);
    }
    for (int i = 0; i < 64; i++)
        bad += out[i] != sorted[i];
    std::printf("%d wrong\n", bad);
    return bad != 0;
}
