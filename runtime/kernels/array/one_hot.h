#pragma once

#include <cstdint>

#include "base/status.h"
#include "tensor/shape.h"
#include "tensor/tensor.h"

namespace tfbuild {

// OneHot in three numbers: indices are [prefix, suffix], the output is [prefix, depth, suffix].
struct OneHotPlan {
  Shape output;
  int64_t prefix = 1;
  int64_t depth = 0;
  int64_t suffix = 1;
};

// `depth` is a scalar on the host; an axis of -1 puts the new dimension last. InvalidArgument when
// they are out of range, or when on_value or off_value is no scalar.
Result<OneHotPlan> PlanOneHot(const Shape& indices, const Tensor& depth, int64_t axis,
                              const Shape& on_value, const Shape& off_value);

}  // namespace tfbuild
