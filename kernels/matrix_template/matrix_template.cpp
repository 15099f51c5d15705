// Linear algebra: product of small matrices of known size with templates and operators, as C++ libraries write it.
// Graphics and robotics. Sizes are template arguments, so that every bound is a constant; element access is a call that is
// inlined, and temporary objects must vanish.
#include "loom.h"

#include <cmath>
#include <cstdint>
#include <cstdio>

template <typename T, int R, int C>
struct matrix {
    T data[R * C];

    T &operator()(int r, int c) { return data[r * C + c]; }
    const T &operator()(int r, int c) const { return data[r * C + c]; }
};

template <typename T, int R, int K, int C>
inline matrix<T, R, C> operator*(const matrix<T, R, K> &a, const matrix<T, K, C> &b)
{
    matrix<T, R, C> out;
    for (int r = 0; r < R; r++)
        for (int c = 0; c < C; c++) {
            T sum = T(0);
            for (int k = 0; k < K; k++)
                sum += a(r, k) * b(k, c);
            out(r, c) = sum;
        }
    return out;
}

using frame = matrix<float, 4, 4>;
using vector = matrix<float, 4, 1>;

// Moves points through a chain of joints: out[i] is the product of the first i + 1 frames times the point.
LOOM_ACCEL void chain(const frame *joints, const vector *points, vector *out, int n)
{
    frame total = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
    for (int i = 0; i < n; i++) {
        total = total * joints[i];
        out[i] = total * points[i];
    }
}

int main()
{
    constexpr int N = 40;
    static frame joints[N];
    static vector points[N], out[N + 1];
    const int sizes[] = {N, 0, 1, 7};
    int bad = 0, calls = 0;
    for (int n : sizes) {
        for (int i = 0; i < N; i++) {
            // A turn about one axis and a shift.
            const float angle = 0.3f * static_cast<float>(i % 9) - 1.0f, c = std::cos(angle), s = std::sin(angle);
            joints[i] = i % 2 ? frame{{c, -s, 0, 1, s, c, 0, 0, 0, 0, 1, 0.5f, 0, 0, 0, 1}}
                              : frame{{1, 0, 0, -1, 0, c, -s, 0, 0, s, c, 0.25f, 0, 0, 0, 1}};
            points[i] = vector{{static_cast<float>(i % 5), 1.0f, static_cast<float>(-(i % 3)), 1.0f}};
        }
        out[n] = vector{{5, 5, 5, 5}};
        chain(joints, points, out, n);
        bad += out[n](2, 0) != 5.0f;
        // Each point alone, from the innermost frame out.
        for (int i = 0; i < n; i++) {
            double p[4];
            for (int k = 0; k < 4; k++)
                p[k] = points[i](k, 0);
            for (int j = i; j >= 0; j--) {
                double q[4] = {0, 0, 0, 0};
                for (int k = 0; k < 16; k++)
                    q[k / 4] += joints[j].data[k] * p[k % 4];
                for (int k = 0; k < 4; k++)
                    p[k] = q[k];
            }
            for (int k = 0; k < 4; k++)
                bad += !(std::fabs(p[k] - out[i](k, 0)) < 1e-3);
        }
        calls++;
    }
    std::printf("matrix_template: %d chains, %d wrong\n", calls, bad);
    return bad != 0;
}
