#pragma once

// Functions that every device's library of C++ has, and products and quotients that are zero where a
// factor is.

#include "kernels/framework/functors.h"

namespace tfbuild {
namespace functor {

TFBUILD_UNARY_FUNCTOR(Tan, std::tan(x))
TFBUILD_UNARY_FUNCTOR(Asin, std::asin(x))
TFBUILD_UNARY_FUNCTOR(Acos, std::acos(x))
TFBUILD_UNARY_FUNCTOR(Atan, std::atan(x))
TFBUILD_UNARY_FUNCTOR(Sinh, std::sinh(x))
TFBUILD_UNARY_FUNCTOR(Cosh, std::cosh(x))
TFBUILD_UNARY_FUNCTOR(Asinh, std::asinh(x))
TFBUILD_UNARY_FUNCTOR(Acosh, std::acosh(x))
TFBUILD_UNARY_FUNCTOR(Atanh, std::atanh(x))

TFBUILD_BINARY_FUNCTOR(Atan2, std::atan2(x, y))  // of y / x, in the order of the op's inputs
TFBUILD_BINARY_FUNCTOR(Xdivy, x == static_cast<T>(0) ? static_cast<T>(0) : x / y)
TFBUILD_BINARY_FUNCTOR(Xlogy, x == static_cast<T>(0) ? static_cast<T>(0) : x * std::log(y))
TFBUILD_BINARY_FUNCTOR(Xlog1py, x == static_cast<T>(0) ? static_cast<T>(0) : x * std::log1p(y))

// Towards zero. The least integer divided by -1 is itself. The kernel refuses zeros; what is read
// here may be another number, where somebody writes into the array that was fed.
struct TruncateDiv {
  template <typename T>
  static TFBUILD_FORMULA T Apply(T x, T y) {
    if constexpr (std::is_integral<T>::value) {
      if (y == T(0)) return T(0);
      return std::is_signed<T>::value && y == T(-1) ? static_cast<T>(-static_cast<uint64_t>(x))
                                                    : static_cast<T>(x / y);
    } else {
      return std::trunc(x / y);
    }
  }
};
struct TruncateMod {
  template <typename T>
  static TFBUILD_FORMULA T Apply(T x, T y) {
    if constexpr (std::is_integral<T>::value) {
      return (std::is_signed<T>::value && y == T(-1)) || y == T(0) ? T(0) : static_cast<T>(x % y);
    } else {
      return std::fmod(x, y);
    }
  }
};

}  // namespace functor
}  // namespace tfbuild
