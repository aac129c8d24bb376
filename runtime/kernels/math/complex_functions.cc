// Functions of complex numbers: of complex64 they are computed in double.
#include <cmath>
#include <complex>
#include <limits>

#include "kernels/framework/elementwise.h"
#include "tensor/complex.h"

namespace tfbuild {
namespace {

using Wide = std::complex<double>;

// log(1 + x) and exp(x) - 1 without losing what is small beside 1.
Wide Log1p(Wide x) {
  const double a = x.real(), b = x.imag();
  return {0.5 * std::log1p(a * (a + 2) + b * b), std::atan2(b, a + 1)};
}
Wide Expm1(Wide x) {
  const double half_sine = std::sin(0.5 * x.imag());
  const double growth = std::expm1(x.real());
  const double less = -2 * half_sine * half_sine;  // cos(b) - 1
  return {growth + less + growth * less, (growth + 1) * std::sin(x.imag())};
}
Wide Sigmoid(Wide x) { return 1.0 / (1.0 + std::exp(-x)); }
// The powers of 0: 1 for the exponent 0, 0 for those with a positive real part, infinite for negative
// numbers; those that turn for ever around the origin have no limit.
Wide PowerOfZero(Wide y) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (y.real() > 0) return 0;
  const bool is_pole = y.real() < 0 && y.imag() == 0;
  return {is_pole ? std::numeric_limits<double>::infinity() : kNone, kNone};
}
Wide Power(Wide x, Wide y) {
  if (y == Wide(0)) return 1;
  return x == Wide(0) ? PowerOfZero(y) : std::pow(x, y);
}

#define TFBUILD_COMPLEX_FUNCTION(NAME, EXPRESSION)                         \
  struct Complex##NAME {                                                   \
    template <typename T>                                                  \
    static T Apply(T narrow) {                                             \
      const Wide x(narrow);                                                \
      return static_cast<T>(EXPRESSION);                                   \
    }                                                                      \
  };                                                                       \
  REGISTER_KERNEL(Kernel(#NAME).OnCpu().Type<std::complex<float>>("T"),    \
                  UnaryKernel<FunctionLoop<Complex##NAME, std::complex<float>>, kMathGrain>); \
  REGISTER_KERNEL(Kernel(#NAME).OnCpu().Type<std::complex<double>>("T"),   \
                  UnaryKernel<FunctionLoop<Complex##NAME, std::complex<double>>, kMathGrain>);

template <typename Function, typename T>
void FunctionLoop(const void* argument, void* result, int64_t count) {
  const T* x = static_cast<const T*>(argument);
  T* y = static_cast<T*>(result);
  for (int64_t i = 0; i < count; ++i) y[i] = Function::Apply(x[i]);
}

TFBUILD_COMPLEX_FUNCTION(Exp, std::exp(x))
TFBUILD_COMPLEX_FUNCTION(Log, std::log(x))
TFBUILD_COMPLEX_FUNCTION(Log1p, Log1p(x))
TFBUILD_COMPLEX_FUNCTION(Expm1, Expm1(x))
TFBUILD_COMPLEX_FUNCTION(Sqrt, std::sqrt(x))
TFBUILD_COMPLEX_FUNCTION(Rsqrt, 1.0 / std::sqrt(x))
TFBUILD_COMPLEX_FUNCTION(Sin, std::sin(x))
TFBUILD_COMPLEX_FUNCTION(Cos, std::cos(x))
TFBUILD_COMPLEX_FUNCTION(Tanh, std::tanh(x))
TFBUILD_COMPLEX_FUNCTION(Sigmoid, Sigmoid(x))
TFBUILD_COMPLEX_FUNCTION(Tan, std::tan(x))
TFBUILD_COMPLEX_FUNCTION(Asin, std::asin(x))
TFBUILD_COMPLEX_FUNCTION(Acos, std::acos(x))
TFBUILD_COMPLEX_FUNCTION(Atan, std::atan(x))
TFBUILD_COMPLEX_FUNCTION(Sinh, std::sinh(x))
TFBUILD_COMPLEX_FUNCTION(Cosh, std::cosh(x))
TFBUILD_COMPLEX_FUNCTION(Asinh, std::asinh(x))
TFBUILD_COMPLEX_FUNCTION(Acosh, std::acosh(x))
TFBUILD_COMPLEX_FUNCTION(Atanh, std::atanh(x))
#undef TFBUILD_COMPLEX_FUNCTION

struct ComplexPower {
  template <typename T>
  static T Apply(T x, T y) {
    return static_cast<T>(Power(Wide(x), Wide(y)));
  }
};
template <typename T>
void PowerLoop(const void* bases, const void* exponents, void* results, int64_t count,
               Operands operands) {
  BinaryRowLoop<ComplexPower, T, T>::template Run<16>(static_cast<const T*>(bases),
                                                      static_cast<const T*>(exponents),
                                                      static_cast<T*>(results), count, operands);
}
REGISTER_KERNEL(Kernel("Pow").OnCpu().Type<std::complex<float>>("T"),
                BinaryKernel<PowerLoop<std::complex<float>>>);
REGISTER_KERNEL(Kernel("Pow").OnCpu().Type<std::complex<double>>("T"),
                BinaryKernel<PowerLoop<std::complex<double>>>);

}  // namespace
}  // namespace tfbuild
