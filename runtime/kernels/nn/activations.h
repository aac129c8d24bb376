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
    const T low = feature > static_cast<T>(0) ? gradient : static_cast<T>(0);
    return feature < static_cast<T>(6) ? low : static_cast<T>(0);
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

}  // namespace functor
}  // namespace tfbuild
