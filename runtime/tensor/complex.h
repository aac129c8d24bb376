#pragma once

// Complex elements, apart from the other types because few kernels have them and <complex> takes
// the compiler longer than most kernels do.

#include <complex>

#include "tensor/dtype.h"

namespace tfbuild {

template <> struct DTypeOf<std::complex<float>> {
  static constexpr DType value = DType::kComplex64;
};
template <> struct DTypeOf<std::complex<double>> {
  static constexpr DType value = DType::kComplex128;
};

}  // namespace tfbuild

#define TFBUILD_COMPLEX_TYPES(CALL) CALL(std::complex<float>) CALL(std::complex<double>)
