#pragma once

namespace tfbuild {
namespace special {

// In double, to about 14 digits, as TensorFlow defines them at their borders.

double LogGamma(double x);
double Digamma(double x);
// The sum of (q + k) to the power of -x over all whole k >= 0.
double Zeta(double x, double q);
// The n-th derivative of Digamma, for whole n >= 0.
double Polygamma(double n, double x);
// The lower incomplete gamma function, divided by gamma(a), and 1 less that.
double Igamma(double a, double x);
double Igammac(double a, double x);
// The derivative of Igamma by a.
double IgammaGradA(double a, double x);
// The incomplete beta function, divided by the complete one.
double Betainc(double a, double b, double x);

}  // namespace special
}  // namespace tfbuild
