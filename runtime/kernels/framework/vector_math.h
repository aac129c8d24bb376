#pragma once

// Mathematical functions of float that a compiler turns into vectors: no branch, no table, no call.
// Where the last places of the argument decide (angles) they compute in double. OPS.md has the
// errors that were measured over the whole range. GPUs take those that their own library computes
// less exactly.

#include <cstdint>
#include <cstring>
#include <limits>

#include "kernels/framework/host_device.h"
#include "kernels/framework/vector_target.h"

#define TFBUILD_FORMULA TFBUILD_HOST_DEVICE TFBUILD_ALWAYS_INLINE

namespace tfbuild {
namespace vector_math {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

TFBUILD_FORMULA int32_t BitsOf(float x) {
  int32_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  return bits;
}

TFBUILD_FORMULA float OfBits(int32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof(x));
  return x;
}

TFBUILD_ALWAYS_INLINE uint64_t BitsOf(double x) {
  uint64_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  return bits;
}

// c[0] + c[1] x + c[2] x^2 + ...
template <typename T, int kCount>
TFBUILD_FORMULA T Polynomial(T x, const T (&c)[kCount]) {
  T y = c[kCount - 1];
  TFBUILD_UNROLL
  for (int k = kCount - 2; k >= 0; --k) y = y * x + c[k];
  return y;
}

// NaN stays NaN. One limit alone takes a third of the time.
TFBUILD_ALWAYS_INLINE float Clamp(float x, float low, float high) {
  x = x < low ? low : x;
  return x > high ? high : x;
}

TFBUILD_FORMULA float Absolute(float x) { return OfBits(BitsOf(x) & 0x7fffffff); }

TFBUILD_FORMULA float WithSignOf(float sign, float magnitude) {
  return OfBits(BitsOf(magnitude) | (BitsOf(sign) & static_cast<int32_t>(0x80000000u)));
}

// The bits of arguments out of range are nonsense that is replaced later: it may wrap around.
TFBUILD_FORMULA int32_t Minus(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) - static_cast<uint32_t>(b));
}

// Of x from 0 on, or NaN, which stays NaN: as a minimum of integers, below all of which the sum leaves
// NaN. Of a choice between floats compilers make two ways through all that follows.
TFBUILD_FORMULA float AtMost(float high, float x) {
  constexpr uint32_t kBeyondInfinity = 0x7fffff;
  const int32_t bits = static_cast<int32_t>(static_cast<uint32_t>(BitsOf(x)) + kBeyondInfinity);
  const int32_t most = BitsOf(high) + static_cast<int32_t>(kBeyondInfinity);
  const int32_t least = bits < most ? bits : most;
  return OfBits(Minus(least, static_cast<int32_t>(kBeyondInfinity)));
}

// 2^n for n from -126 to 127.
TFBUILD_FORMULA float PowerOfTwo(int32_t n) {
  return OfBits(static_cast<int32_t>((static_cast<uint32_t>(n) + 127u) << 23));
}

// Adding one leaves the nearest integer in the lowest bits of the sum.
constexpr float kToInteger = 12582912.0f;                // 1.5 * 2^23
constexpr double kToWideInteger = 6755399441055744.0;    // 1.5 * 2^52
// What it leaves in the lowest bits is, moved to the place of the exponent, the power of 2.
constexpr float kToExponent = kToInteger + 127.0f;

// ln 2 in two parts, the first with so few bits that its product with an exponent is exact.
constexpr float kLn2High = 0.693359375f;
constexpr float kLn2Low = -2.12194440e-4f;

// exp(x + rest) = 2^n (1 + tail), |x| below 126 and `rest` tiny.
struct ExpParts {
  int32_t n;
  float tail;
};

constexpr float kLog2E = 1.44269504f;
// Code for GPUs reads no array of the host, but what a function gives.
template <int kCount>
struct Series {
  float c[kCount];
};
// (exp(r) - 1 - r) / r^2 between -ln(2) / 2 and ln(2) / 2.
TFBUILD_FORMULA constexpr Series<5> ExpSeries() {
  return {{0.5f, 0.16666577f, 0.0416665546f, 0.00836317905f, 0.00139261836f}};
}
// Beyond these exp is 0 or infinite.
constexpr float kLeastExp = -105.0f;
constexpr float kMostExp = 89.0f;

TFBUILD_FORMULA ExpParts SplitExp(float x, float rest) {
  const float shifted = x * kLog2E + kToInteger;
  const float n = shifted - kToInteger;
  const float r = (x - n * kLn2High) - (n * kLn2Low - rest);
  return {Minus(BitsOf(shifted), BitsOf(kToInteger)), r + r * r * Polynomial(r, ExpSeries().c)};
}

// exp(x + rest), whatever x is. Beyond the limits it is 0 or infinite.
TFBUILD_ALWAYS_INLINE float ExpOfSum(float x, float rest) {
  const float within = Clamp(x, kLeastExp, kMostExp);
  const ExpParts parts = SplitExp(within, rest);
  // In two steps, as 2^n may be no number of float although the result is one: the second is 2^64 or,
  // for arguments below 0, 2^-64.
  constexpr int32_t kUp = 0x5f800000;
  constexpr int32_t kDown = 0x1f800000;
  const int32_t second = kUp ^ ((BitsOf(within) >> 31) & (kUp ^ kDown));
  const uint32_t bits = (static_cast<uint32_t>(parts.n) << 23) - static_cast<uint32_t>(second);
  const float first = OfBits(static_cast<int32_t>(bits + 2 * 0x3f800000u));
  return (parts.tail * first + first) * OfBits(second);
}

TFBUILD_ALWAYS_INLINE float Exp(float x) { return ExpOfSum(x, 0.0f); }

// exp(-x) for x from 0 on, or NaN.
TFBUILD_FORMULA float ExpOfMinus(float x) {
  const ExpParts parts = SplitExp(-AtMost(105.0f, x), 0.0f);
  // 2^n by way of 2^(n + 64), as it may be no number of float although the result is one.
  const uint32_t power = static_cast<uint32_t>(parts.n + 127 + 64) << 23;
  return (1.0f + parts.tail) * OfBits(static_cast<int32_t>(power)) * 5.42101086e-20f;
}

TFBUILD_ALWAYS_INLINE float Expm1(float x) {
  const ExpParts parts = SplitExp(Clamp(x, -20.0f, 89.0f), 0.0f);
  // In two steps, as 2^128 is no number of float; 1 is nothing beside so much.
  const int32_t half = parts.n >> 1;
  const float first = PowerOfTwo(half);
  const float second = PowerOfTwo(parts.n - half);
  const float power = first * second;
  const float y = parts.n > 30 ? (1.0f + parts.tail) * first * second
                               : parts.tail * power + (power - 1.0f);
  return x == 0 ? x : y;  // keeps the sign of zero
}

// (log(1 + f) - f + f^2 / 2) / f^3 for 1 + f between the roots of 1/2 and of 2.
TFBUILD_FORMULA constexpr Series<8> LogSeries() {
  return {{0.333333307f, -0.250003064f, 0.200010451f, -0.166412815f, 0.142144959f, -0.129981838f,
           0.126223198f, -0.0790274377f}};
}

// log(2^k (1 + f)), 1 + f being between the roots of 1/2 and of 2.
TFBUILD_FORMULA float LogOfParts(float k, float f) {
  const float square = f * f;
  const float tail = f * square * Polynomial(f, LogSeries().c) + k * kLn2Low - 0.5f * square;
  return k * kLn2High + (f + tail);
}

constexpr int32_t kRootOfHalf = 0x3f3504f3;

// Of a number that is positive, finite and has all its places.
TFBUILD_ALWAYS_INLINE float UsualLog(float x) {
  const int32_t bits = Minus(BitsOf(x), kRootOfHalf);
  const float near_one = OfBits((bits & 0x7fffff) + kRootOfHalf);
  return LogOfParts(static_cast<float>(bits >> 23), near_one - 1.0f);
}

TFBUILD_ALWAYS_INLINE float Log(float x) {
  const bool tiny = x < std::numeric_limits<float>::min();
  const float u = tiny ? x * 8388608.0f : x;
  const int32_t bits = Minus(BitsOf(u), kRootOfHalf);
  const float k = static_cast<float>((bits >> 23) - (tiny ? 23 : 0));
  float y = LogOfParts(k, OfBits((bits & 0x7fffff) + kRootOfHalf) - 1.0f);
  y = x > 0 ? y : kNaN;
  y = x == 0 ? -kInfinity : y;
  return x == kInfinity ? x : y;
}

// log(1 + x) for x from 0 on, or a little above -1.
TFBUILD_FORMULA float Log1pOfUsual(float x) {
  const float u = 1.0f + x;
  const int32_t bits = Minus(BitsOf(u), kRootOfHalf);
  const int32_t k = bits >> 23;
  // f from x, which has the places that u has lost; far from 1 there is nothing to lose.
  const float down = PowerOfTwo(-k);
  const float near = x * down + (down - 1.0f);
  const float far = OfBits((bits & 0x7fffff) + kRootOfHalf) - 1.0f;
  return LogOfParts(static_cast<float>(k), k > 24 ? far : near);
}

TFBUILD_ALWAYS_INLINE float Log1p(float x) {
  float y = Log1pOfUsual(x);
  y = x > -1.0f ? y : kNaN;
  y = x == -1.0f ? -kInfinity : y;
  y = x == kInfinity ? x : y;
  return x == 0 ? x : y;  // keeps the sign of zero
}

// log(1 + exp(x)) without overflow.
TFBUILD_FORMULA float Softplus(float x) {
  const float y = (x > 0 ? x : 0.0f) + Log1pOfUsual(ExpOfMinus(Absolute(x)));
  return x == x ? y : x;
}

TFBUILD_FORMULA float Sigmoid(float x) {
  const float power = ExpOfMinus(Absolute(x));
  const float part = 1.0f / (1.0f + power);
  // power * part, with less of an error where that is small.
  return x < 0 ? power - power * (power * part) : part;
}

// h / (h + 1) with h = (exp(2 x) - 1) / 2; near 0, where three roundings were too many, the same as
// h - h^2 / (h + 1). All is half as large as exp has it, so that x need not be doubled, and ln 2 needs no
// second part.
TFBUILD_ALWAYS_INLINE float Tanh(float x) {
  constexpr float c[] = {1.0f, 0.666661918f, 0.33333984f, 0.133842632f, 0.0443461314f};
  const float size = AtMost(10.0f, Absolute(x));  // beyond it is 1
  const float shifted = size * 2.88539008f + kToExponent;
  const float r = size - (shifted - kToExponent) * 0.34657359f;
  const float tail = r + r * r * Polynomial(r, c);
  const float power = OfBits(static_cast<int32_t>(static_cast<uint32_t>(BitsOf(shifted)) << 23));
  const float h = tail * power + (0.5f * power - 0.5f);
  const float quotient = h / (h + 1.0f);
  return WithSignOf(x, size < 0.34f ? h - h * quotient : quotient);
}

// Near 0 from the series, else from the fourth root of 1 - erf, which a polynomial follows well: what is
// wrong by rounding counts four times, but of a number that is below 0.2.
TFBUILD_ALWAYS_INLINE float Erf(float x) {
  constexpr float near[] = {0.128379136f,  -0.376124114f,  0.112810113f,
                            -0.0267389789f, 0.00495449407f, -0.000580189459f};
  constexpr float far[] = {1.00177813f,     -0.291692555f, -0.0971521512f,
                           -0.0131789539f,  0.0408450589f, -0.0114717372f,
                           0.000439850119f, 0.00022721861f, -2.53523558e-05f};
  const float size = AtMost(3.95f, Absolute(x));  // beyond it is 1
  const float square = size * size;
  const float small = size + size * Polynomial(square, near);
  const float root = Polynomial(size, far);
  const float part = root * root;
  const float large = 1.0f - part * part;
  return WithSignOf(x, size >= 0.96f ? large : small);  // of NaN the small one is NaN
}

// 1 / sqrt(x) of numbers that have all their places, and half of which have: from half the exponent as
// a first guess, by a line through what that is wrong by, and then by three terms of the series for
// the rest. A root and a quotient take longer on some processors.
constexpr float kLeastUsualRsqrt = 1e-37f;
TFBUILD_ALWAYS_INLINE float UsualRsqrt(float x) {
  float y = OfBits(Minus(0x5f370000, BitsOf(x) >> 1));
  y = y * (1.50403968f - (0.503185548f * x) * y * y);
  const float error = 1.0f - (x * y) * y;
  return y + (y * error) * (0.5f + 0.375f * error);
}

// 1 / sqrt(x) without a root or a quotient, which take longer than all this: half the exponent as a
// first guess, and three steps of Newton's.
TFBUILD_ALWAYS_INLINE float Rsqrt(float x) {
  const bool tiny = x < 1e-30f;  // half of which may have lost places
  const float u = tiny ? x * 16777216.0f : x;
  const float half = 0.5f * u;
  float y = OfBits(Minus(0x5f375a86, BitsOf(u) >> 1));
  y = y * (1.5f - half * y * y);
  y = y * (1.5f - half * y * y);
  y = y + y * (0.5f - half * y * y);
  y = tiny ? y * 4096.0f : y;
  y = x > 0 ? y : kNaN;
  y = x == 0 ? WithSignOf(x, kInfinity) : y;
  return x == kInfinity ? 0.0f : y;
}

// Above this argument Sin and Cos need more digits of pi than here.
constexpr float kLargeAngle = 1 << 20;

// sin(x + quarters * pi / 2) for |x| up to kLargeAngle. The rest of the angle is found in double.
TFBUILD_ALWAYS_INLINE float SinOfSmall(float x, int32_t quarters) {
  constexpr float s[] = {-0.166666647f, 0.00833274815f, -0.000195878657f};
  constexpr float c[] = {0.0416666647f, -0.00138883029f, 2.45479169e-05f};
  const double shifted = x * 0.6366197723675814 + kToWideInteger;
  const double n = shifted - kToWideInteger;
  // pi / 2 in two parts; the product with the first is exact.
  const float r = static_cast<float>((x - n * 1.5707963267341256) - n * 6.077100506506192e-11);
  const int32_t quarter = Minus(static_cast<int32_t>(BitsOf(shifted)), -quarters);
  const float square = r * r;
  const float sine = r == 0 ? r : r + r * square * Polynomial(square, s);  // keeps the sign of zero
  const float cosine = 1.0f - 0.5f * square + square * square * Polynomial(square, c);
  const float y = (quarter & 1) != 0 ? cosine : sine;
  return OfBits(BitsOf(y) ^ static_cast<int32_t>(static_cast<uint32_t>(quarter & 2) << 30));
}

TFBUILD_ALWAYS_INLINE float SmallAngleSin(float x) { return SinOfSmall(x, 0); }
TFBUILD_ALWAYS_INLINE float SmallAngleCos(float x) { return SinOfSmall(x, 1); }

}  // namespace vector_math
}  // namespace tfbuild
