#pragma once

#include <string>

#include "base/status.h"
#include "kernels/nn/conv_dimensions.h"
#include "tensor/shape.h"

namespace tfbuild {

// A tensor seen as [outer, channels, inner], the bias running along the channels. inner is 1 for
// NHWC.
struct BiasLayout {
  int64_t outer = 1;
  int64_t channels = 1;
  int64_t inner = 1;
};

inline Result<BiasLayout> MakeBiasLayout(DataFormat format, const Shape& value) {
  if (value.rank() < 2) {
    return InvalidArgument("a value with a bias must have at least rank 2 but its shape is ",
                           value);
  }
  const int axis = format == DataFormat::kNHWC ? value.rank() - 1 : 1;
  BiasLayout layout;
  layout.channels = value.dim(axis);
  if (value.num_elements() == 0) {
    layout.outer = 0;
    return layout;
  }
  for (int i = 0; i < axis; ++i) layout.outer *= value.dim(i);
  for (int i = axis + 1; i < value.rank(); ++i) layout.inner *= value.dim(i);
  return layout;
}

// The layout for adding `bias`, a vector of as many numbers as there are channels.
inline Result<BiasLayout> MakeBiasLayout(DataFormat format, const Shape& value,
                                         const Shape& bias) {
  ASSIGN_OR_RETURN(const BiasLayout layout, MakeBiasLayout(format, value));
  if (bias.rank() == 1 && bias.dim(0) == layout.channels) return layout;
  return InvalidArgument("bias must be a vector of ", layout.channels, " numbers for a value of ",
                         "shape ", value, " but its shape is ", bias);
}

}  // namespace tfbuild
