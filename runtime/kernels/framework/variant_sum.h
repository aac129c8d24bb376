#pragma once

#include "tensor/tensor.h"

namespace tfbuild {

// A variant that has a zero and a sum, as gradients need them: AddN and ZerosLike ask for these.
class SummableVariant : public VariantValue {
 public:
  virtual Result<Variant> ZerosLike() const = 0;
  // InvalidArgument where the other one is of another kind or shape.
  virtual Result<Variant> Plus(const VariantValue& other) const = 0;
};

// Of host tensors of every type, variants too: zeros of that type and shape, and the sum of two of
// one shape. InvalidArgument where there is none, ResourceExhausted where variants hold each other so
// deeply that the thread's stack is used up.
Result<Tensor> HostZeros(DType dtype, const Shape& shape);
Result<Tensor> HostZerosLike(const Tensor& value);
Result<Tensor> HostSum(const Tensor& a, const Tensor& b);

}  // namespace tfbuild
