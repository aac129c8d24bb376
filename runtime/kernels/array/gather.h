#pragma once

#include <cstdint>

#include "base/status.h"
#include "tensor/shape.h"
#include "tensor/tensor.h"

namespace tfbuild {

// GatherV2 in four numbers: params are [batch, outer, axis, inner], indices [batch, indices], and
// output [batch, outer, indices, inner] takes rows of `inner` elements.
struct GatherPlan {
  Shape output;
  int64_t batch = 1;
  int64_t outer = 1;
  int64_t axis = 1;
  int64_t inner = 1;
  int64_t indices = 1;
};

// The axis is a scalar on the host. InvalidArgument when axis, batch_dims and the shapes do not fit
// together.
Result<GatherPlan> PlanGather(const Shape& params, const Shape& indices, const Tensor& axis,
                              int64_t batch_dims);

}  // namespace tfbuild
