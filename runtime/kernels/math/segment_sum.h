#pragma once

#include "base/status.h"
#include "tensor/shape.h"
#include "tensor/tensor.h"

namespace tfbuild {

// The shape of UnsortedSegmentSum's output: [num_segments] + data[rank of ids:]. InvalidArgument
// when the shape of the ids does not begin that of the data, or the number (a scalar on the host)
// is negative.
Result<Shape> SegmentSumShape(const Shape& data, const Shape& ids, const Tensor& num_segments);

}  // namespace tfbuild
