#pragma once

#include "base/nested_ptr.h"
#include "tensor/dtype.h"

namespace tfbuild {

// An object of the host that is no array, such as a list of tensors. Whoever has a share of it only
// reads it; who has the only one may change it.
class VariantValue {
 public:
  virtual ~VariantValue() = default;
};

// An element of a variant tensor; null while nothing was put there. What it points to may hold tensors
// of variants.
using Variant = NestedPtr<VariantValue>;

template <> struct DTypeOf<Variant> { static constexpr DType value = DType::kVariant; };

}  // namespace tfbuild
