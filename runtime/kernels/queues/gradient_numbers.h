#pragma once

#include <cstdint>
#include <cstring>

#include "base/status.h"
#include "tensor/half.h"
#include "tensor/tensor.h"

namespace tfbuild {

// Calls body(T()) with the element type of a gradient.
template <typename Body>
void WithGradientType(DType dtype, const Body& body) {
  switch (dtype) {
    case DType::kFloat: return body(float());
    case DType::kDouble: return body(double());
    case DType::kHalf: return body(Half());
    case DType::kBFloat16: return body(BFloat16());
    default: return;
  }
}

// Adds `count` elements of `from` to those of `to`, each from its place on; both of one type.
inline void AddNumbers(const Tensor& from, int64_t from_place, int64_t count, Tensor* to,
                       int64_t to_place) {
  WithGradientType(from.dtype(), [&](auto type) {
    using T = decltype(type);
    using C = ComputeTypeOf<T>;
    const T* x = from.data<T>() + from_place;
    T* y = to->mutable_data<T>() + to_place;
    for (int64_t i = 0; i < count; ++i) y[i] = T(static_cast<C>(y[i]) + static_cast<C>(x[i]));
  });
}

inline void DivideNumbers(Tensor* numbers, int64_t place, int64_t count, int64_t divisor) {
  WithGradientType(numbers->dtype(), [&](auto type) {
    using T = decltype(type);
    using C = ComputeTypeOf<T>;
    T* y = numbers->mutable_data<T>() + place;
    for (int64_t i = 0; i < count; ++i) y[i] = T(static_cast<C>(y[i]) / static_cast<C>(divisor));
  });
}

// A tensor of its own memory; ResourceExhausted where there is none.
inline Result<Tensor> CopyOf(const Tensor& tensor) {
  ASSIGN_OR_RETURN(Tensor copy, Tensor::Allocate(CpuAllocator(), tensor.dtype(), tensor.shape()));
  std::memcpy(copy.raw(), tensor.raw(),
              static_cast<size_t>(tensor.num_elements() * DTypeSize(tensor.dtype())));
  return copy;
}

}  // namespace tfbuild
