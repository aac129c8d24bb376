#pragma once

// The formulas of activations that only their own ops use, shared by CPU and GPU kernels; functors.h
// says in which types they compute.

#include "kernels/framework/functors.h"

namespace tfbuild {
namespace functor {

TFBUILD_UNARY_FUNCTOR(Relu6, x < static_cast<T>(0)   ? static_cast<T>(0)
                             : x > static_cast<T>(6) ? static_cast<T>(6)
                                                     : x)
TFBUILD_UNARY_FUNCTOR(Elu, x < static_cast<T>(0) ? Expm1::Apply(x) : x)
TFBUILD_UNARY_FUNCTOR(Softsign, static_cast<T>(x / (static_cast<T>(1) + std::fabs(x))))

// Gradients from the gradient of the result and, for Elu, the result, else the argument.
struct Relu6Grad {
  template <typename T>
  static TFBUILD_FORMULA T Apply(T gradient, T feature) {
    const T above = static_cast<T>(feature > static_cast<T>(0) ? 1 : 0);
    return static_cast<T>(gradient * (feature < static_cast<T>(6) ? above : static_cast<T>(0)));
  }
};
struct EluGrad {
  template <typename T>
  static TFBUILD_FORMULA T Apply(T gradient, T result) {
    return result < static_cast<T>(0) ? (result + static_cast<T>(1)) * gradient : gradient;
  }
};
struct SoftsignGrad {
  template <typename T>
  static TFBUILD_FORMULA T Apply(T gradient, T feature) {
    const T size = static_cast<T>(1) + std::fabs(feature);
    return gradient / (size * size);
  }
};

// Scaled exponential linear units.
constexpr double kSeluScale = 1.0507009873554804934193349852946;
constexpr double kSeluScaleAlpha = 1.7580993408473768599402175208123;

TFBUILD_UNARY_FUNCTOR(Selu, x < static_cast<T>(0)
                                ? static_cast<T>(kSeluScaleAlpha) * Expm1::Apply(x)
                                : static_cast<T>(kSeluScale) * x)
// From the gradient of the result, and the result.
TFBUILD_BINARY_FUNCTOR(SeluGrad, y < static_cast<T>(0) ? x * (y + static_cast<T>(kSeluScaleAlpha))
                                                       : x * static_cast<T>(kSeluScale))

}  // namespace functor
}  // namespace tfbuild
