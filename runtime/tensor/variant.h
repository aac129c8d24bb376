#pragma once

#include <memory>

#include "tensor/dtype.h"

namespace tfbuild {

// An object of the host that is no array, such as a list of tensors. Whoever has a share of it only
// reads it; who has the only one may change it.
class VariantValue {
 public:
  virtual ~VariantValue() = default;
};

// An element of a variant tensor; null while nothing was put there.
using Variant = std::shared_ptr<VariantValue>;

template <> struct DTypeOf<Variant> { static constexpr DType value = DType::kVariant; };

}  // namespace tfbuild
