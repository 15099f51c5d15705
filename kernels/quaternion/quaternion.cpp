// Simulation: integrates the attitude of a turning body with quaternions, operators on a small class.
// Inertial navigation. A recurrence of sixteen multiplications and a normalisation with square root and division; objects
// are passed and returned by value.
#include "loom.h"

#include <cmath>
#include <cstdio>

class quaternion {
public:
    quaternion() : w(1.0f), x(0.0f), y(0.0f), z(0.0f) {}
    quaternion(float w_, float x_, float y_, float z_) : w(w_), x(x_), y(y_), z(z_) {}

    quaternion operator*(const quaternion &b) const
    {
        return quaternion(w * b.w - x * b.x - y * b.y - z * b.z, w * b.x + x * b.w + y * b.z - z * b.y,
                          w * b.y - x * b.z + y * b.w + z * b.x, w * b.z + x * b.y - y * b.x + z * b.w);
    }
    quaternion operator+(const quaternion &b) const { return quaternion(w + b.w, x + b.x, y + b.y, z + b.z); }
    quaternion operator*(float s) const { return quaternion(w * s, x * s, y * s, z * s); }
    float square() const { return w * w + x * x + y * y + z * z; }

    float w, x, y, z;
};

struct rates {
    float x, y, z;
};

LOOM_ACCEL void attitude(quaternion &q, const rates *gyro, int n, float dt, quaternion *history)
{
    for (int i = 0; i < n; i++) {
        const quaternion turn(0.0f, gyro[i].x, gyro[i].y, gyro[i].z);
        q = q + q * turn * (0.5f * dt);
        q = q * (1.0f / std::sqrt(q.square()));
        history[i] = q;
    }
}

int main()
{
    constexpr int N = 1000;
    static rates gyro[N];
    static quaternion history[N + 1];
    const float dt = 0.001f;
    int bad = 0, calls = 0;
    // About one axis: half the angle is in the quaternion, whatever the rate does on the way.
    const int sizes[] = {N, 0, 1, 500};
    for (int n : sizes) {
        double angle = 0.0;
        const float ax = 0.6f, ay = 0.0f, az = -0.8f;
        for (int i = 0; i < n; i++) {
            const float rate = 2.0f + static_cast<float>(i % 7) - static_cast<float>(calls);
            gyro[i] = rates{ax * rate, ay * rate, az * rate};
            angle += static_cast<double>(rate) * dt;
        }
        quaternion q;
        history[n] = quaternion(9.0f, 9.0f, 9.0f, 9.0f);
        attitude(q, gyro, n, dt, history);
        bad += history[n].w != 9.0f;
        bad += !(std::fabs(q.w - std::cos(angle / 2)) < 1e-3 && std::fabs(q.x - 0.6 * std::sin(angle / 2)) < 1e-3 &&
                 std::fabs(q.y) < 1e-6 && std::fabs(q.z + 0.8 * std::sin(angle / 2)) < 1e-3);
        bad += n > 0 && (history[n - 1].w != q.w || history[n - 1].z != q.z);
        for (int i = 0; i < n; i++)
            bad += !(std::fabs(history[i].square() - 1.0f) < 1e-5f);
        calls++;
    }
    // A quarter about x, then one about y: takes z to where the product of rotation matrices takes it.
    for (int i = 0; i < N; i++)
        gyro[i] = i < N / 2 ? rates{3.14159265f, 0.0f, 0.0f} : rates{0.0f, 3.14159265f, 0.0f};
    quaternion q;
    attitude(q, gyro, N, dt, history);
    const double gx = 2.0 * (q.x * q.z + q.w * q.y), gy = 2.0 * (q.y * q.z - q.w * q.x), gz = 1.0 - 2.0 * (q.x * q.x + q.y * q.y);
    bad += !(std::fabs(gx - 1.0) < 1e-2 && std::fabs(gy) < 1e-2 && std::fabs(gz) < 1e-2);
    std::printf("quaternion: %d flights, %d wrong\n", calls + 1, bad);
    return bad != 0;
}
