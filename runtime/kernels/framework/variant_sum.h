#pragma once

#include "base/status.h"
#include "tensor/variant.h"

namespace tfbuild {

// A variant that has a zero and a sum, as gradients need them: AddN and ZerosLike ask for these.
class SummableVariant : public VariantValue {
 public:
  virtual Result<Variant> ZerosLike() const = 0;
  // InvalidArgument where the other one is of another kind or shape.
  virtual Result<Variant> Plus(const VariantValue& other) const = 0;
};

}  // namespace tfbuild
