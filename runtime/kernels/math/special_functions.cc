#include "kernels/math/special_functions.h"

#include <math.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/stop.h"

namespace tfbuild {
namespace special {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kEpsilon = 1e-16;
constexpr double kTiny = 1e-300;
constexpr int kMostTerms = 100000;

// Bernoulli's numbers B2, B4, ... up to B16.
constexpr double kBernoulli[] = {1.0 / 6,  -1.0 / 30,      1.0 / 42, -1.0 / 30,
                                 5.0 / 66, -691.0 / 2730, 7.0 / 6,  -3617.0 / 510};

// A number with its derivative by a parameter.
struct Dual {
  double value;
  double slope;
};
Dual operator+(Dual x, Dual y) { return {x.value + y.value, x.slope + y.slope}; }
Dual operator-(Dual x, Dual y) { return {x.value - y.value, x.slope - y.slope}; }
Dual operator*(Dual x, Dual y) {
  return {x.value * y.value, x.slope * y.value + x.value * y.slope};
}
Dual operator/(Dual x, Dual y) {
  const double quotient = x.value / y.value;
  return {quotient, (x.slope - quotient * y.slope) / y.value};
}
double Size(double x) { return std::abs(x); }
double Size(Dual x) { return std::max(std::abs(x.value), std::abs(x.slope)); }
template <typename N>
N Number(double value);
template <>
double Number<double>(double value) { return value; }
template <>
Dual Number<Dual>(double value) { return {value, 0}; }

// Sum of x^n / (a (a+1) ... (a+n)): what x^a exp(-x) / gamma(a) times it makes Igamma; good for
// x below a + 1.
template <typename N>
N LowerSeries(N a, double x) {
  N term = Number<N>(1) / a, sum = term, at = a;
  for (int n = 1; n < kMostTerms; ++n) {
    at = at + Number<N>(1);
    term = term * (Number<N>(x) / at);
    sum = sum + term;
    if (Size(term) < kEpsilon * Size(sum)) break;
  }
  return sum;
}

// The continued fraction that x^a exp(-x) / gamma(a) times it makes Igammac, by Lentz's method; good
// for x above a + 1.
template <typename N>
N UpperFraction(N a, double x) {
  N b = Number<N>(x + 1) - a;
  N c = Number<N>(1 / kTiny), d = Number<N>(1) / b, result = d;
  for (int n = 1; n < kMostTerms; ++n) {
    const N factor = Number<N>(-n) * (Number<N>(n) - a);
    b = b + Number<N>(2);
    d = factor * d + b;
    if (Size(d) < kTiny) d = Number<N>(kTiny);
    c = b + factor / c;
    if (Size(c) < kTiny) c = Number<N>(kTiny);
    d = Number<N>(1) / d;
    const N change = d * c;
    result = result * change;
    if (Size(change - Number<N>(1)) < kEpsilon * 4) break;
  }
  return result;
}

// x^a exp(-x) / gamma(a).
double Front(double a, double x) { return std::exp(a * std::log(x) - x - LogGamma(a)); }

// The logarithm of gamma(1 + a) for a > 0, exact where a is so small that 1 + a loses it:
// -gamma a + zeta(2) a^2 / 2 - zeta(3) a^3 / 3 + ...
double LogGammaBesideOne(double a) {
  if (a > 0.01) return LogGamma(1 + a);
  constexpr double kEuler = 0.57721566490153286061;
  double power = -a, sum = kEuler * power;
  for (int n = 2; n < 12; ++n) {
    power *= -a;
    const double term = Zeta(n, 1) * power / n;
    sum += term;
    if (std::abs(term) < kEpsilon * std::abs(sum)) break;
  }
  return sum;
}

// Whether the upper function is so small that 1 - lower would lose its digits (a <= 0.5, x < a + 1).
bool IsUpperSmall(double a, double x) {
  return a <= 0.5 && (x > 0.5 ? x * 1.1 >= a : -0.4 / std::log(x) >= a);
}

// The upper function by the series of the lower one without its first term, which cancels one
// (the Cephes library, function igamc): good for small a and x below about 1.5.
double UpperSeries(double a, double x) {
  double factor = 1, sum = 0;
  for (int n = 1; n < kMostTerms; ++n) {
    factor *= -x / n;
    const double term = factor / (a + n);
    sum += term;
    if (std::abs(term) <= kEpsilon * std::abs(sum)) break;
  }
  const double log = std::log(x);
  return -std::expm1(a * log - LogGammaBesideOne(a)) - std::exp(a * log - LogGamma(a)) * sum;
}

// Both incomplete gamma functions where a > 0 and 0 < x < infinity.
struct Halves {
  double lower;
  double upper;
};
Halves SplitAt(double a, double x) {
  if (x >= a + 1) {
    const double upper = Front(a, x) * UpperFraction(a, x);
    return {1 - upper, upper};
  }
  if (IsUpperSmall(a, x)) {
    const double upper = UpperSeries(a, x);
    return {1 - upper, upper};
  }
  const double lower = Front(a, x) * LowerSeries(a, x);
  return {lower, 1 - lower};
}

bool OutOfDomain(double a, double x) { return std::isnan(a) || std::isnan(x) || x < 0 || a <= 0; }

// The continued fraction of the incomplete beta function, by Lentz's method.
double BetaFraction(double a, double b, double x) {
  const auto away = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1, d = 1 / away(1 - (a + b) * x / (a + 1)), result = d;
  for (int m = 1; m < kMostTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    double change = 1;
    for (const double factor : {even, odd}) {
      d = 1 / away(1 + factor * d);
      c = away(1 + factor / c);
      change = c * d;
      result *= change;
    }
    if (std::abs(change - 1) < kEpsilon * 4) break;
  }
  return result;
}

}  // namespace

double LogGamma(double x) {
  int sign;
  return lgamma_r(x, &sign);  // std::lgamma writes a variable that all threads share
}

double Digamma(double x) {
  if (std::isnan(x) || x == -kInfinity) return kNaN;
  if (x == 0) return std::copysign(kInfinity, -x);
  if (x < 0) {
    if (x == std::floor(x)) return kNaN;
    // The tangent has the period 1 in x; beside a pole the digits are those of what is left.
    return Digamma(1 - x) - kPi / std::tan(kPi * (x - std::round(x)));
  }
  double result = 0;
  for (; x < 10; x += 1) result -= 1 / x;
  const double inverse = 1 / (x * x);
  double power = inverse, series = 0;
  for (int k = 0; k < 8; ++k, power *= inverse) series += kBernoulli[k] * power / (2 * (k + 1));
  return result + std::log(x) - 0.5 / x - series;
}

double Zeta(double x, double q) {
  ThrowIfStopped();
  if (std::isnan(x) || std::isnan(q)) return kNaN;
  if (x == 1) return kInfinity;
  if (x < 1) return kNaN;
  if (q == kInfinity) return 0;
  if (q <= 0) {
    if (q == std::floor(q)) return kInfinity;
    if (x != std::floor(x)) return kNaN;
    // The terms below zero and those above it, each as sums that begin above zero.
    const double above = q - std::floor(q);
    const double below = Zeta(x, 1 - above) - Zeta(x, 1 - q);
    return Zeta(x, above) + (std::fmod(x, 2) == 0 ? below : -below);
  }
  // Euler and Maclaurin: the first terms one by one, the rest as an integral and corrections.
  double sum = 0, at = q;
  for (; at < 12 + x; at += 1) {
    const double term = std::pow(at, -x);
    sum += term;
    if (term <= kEpsilon * sum) return sum;  // both are 0 where they are too small for a double
  }
  const double power = std::pow(at, -x);
  sum += power * at / (x - 1) + power / 2;
  double factor = x * power / at, divisor = 2;
  for (int k = 0; k < 8; ++k) {
    const double term = factor * kBernoulli[k] / divisor;
    sum += term;
    if (std::abs(term) < kEpsilon * std::abs(sum)) break;
    const double next = 2.0 * (k + 1);
    factor *= (x + next - 1) * (x + next) / (at * at);
    divisor *= (next + 1) * (next + 2);
  }
  return sum;
}

double Polygamma(double n, double x) {
  ThrowIfStopped();
  if (n == 0) return Digamma(x);
  if (!(n > 0) || n != std::floor(n)) return kNaN;
  const double sign = std::fmod(n, 2) == 0 ? -1 : 1;
  return sign * std::exp(LogGamma(n + 1)) * Zeta(n + 1, x);
}

double Igamma(double a, double x) {
  ThrowIfStopped();
  if (OutOfDomain(a, x)) return kNaN;
  if (x == 0) return 0;
  if (std::isinf(a)) return std::isinf(x) ? kNaN : 0;
  if (std::isinf(x)) return 1;
  return SplitAt(a, x).lower;
}

double Igammac(double a, double x) {
  ThrowIfStopped();
  if (OutOfDomain(a, x)) return kNaN;
  if (x == 0) return 1;
  if (std::isinf(a)) return std::isinf(x) ? kNaN : 1;
  if (std::isinf(x)) return 0;
  return SplitAt(a, x).upper;
}

double IgammaGradA(double a, double x) {
  ThrowIfStopped();
  if (OutOfDomain(a, x)) return kNaN;
  if (x == 0) return 0;
  if (std::isinf(a) || std::isinf(x)) return std::isinf(a) && std::isinf(x) ? kNaN : 0;
  const double front = Front(a, x), slope = std::log(x) - Digamma(a);
  const Dual parameter{a, 1};
  if (x < a + 1) {
    const Dual series = LowerSeries(parameter, x);
    return front * (slope * series.value + series.slope);
  }
  const Dual fraction = UpperFraction(parameter, x);
  return -front * (slope * fraction.value + fraction.slope);
}

double Betainc(double a, double b, double x) {
  ThrowIfStopped();
  if (std::isnan(a) || std::isnan(b) || !(x >= 0 && x <= 1) || a <= 0 || b <= 0) return kNaN;
  if (x == 0 || x == 1) return x;
  if (std::isinf(a) || std::isinf(b)) {
    if (std::isinf(a) && std::isinf(b)) return kNaN;
    return std::isinf(a) ? 0 : 1;
  }
  const double front = std::exp(LogGamma(a + b) - LogGamma(a) - LogGamma(b) + a * std::log(x) +
                                b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * BetaFraction(a, b, x) / a;
  return 1 - front * BetaFraction(b, a, 1 - x) / b;
}

}  // namespace special
}  // namespace tfbuild
