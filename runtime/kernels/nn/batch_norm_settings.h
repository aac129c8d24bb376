#pragma once

#include <string>

#include "kernels/framework/op_kernel.h"
#include "kernels/nn/bias_layout.h"

namespace tfbuild {

// InvalidArgument unless input `input` is a vector of a number for each channel.
inline Status CheckChannelVector(const OpKernelContext& context, int input, int64_t channels) {
  const Shape& shape = context.input(input).shape();
  if (shape.rank() == 1 && shape.dim(0) == channels) return OkStatus();
  return InvalidArgument(context.node().op().inputs[static_cast<size_t>(input)].name,
                         " must be a vector of ", channels, " numbers but its shape is ", shape);
}

// The attributes of FusedBatchNorm and its gradient.
struct BatchNormSettings {
  DataFormat format = DataFormat::kNHWC;
  bool training = true;
  float epsilon = 0;
  float factor = 1;  // what of the moving means comes from this batch; not of the gradient

  Status Read(const OpKernelConstruction& construction) {
    ASSIGN_OR_RETURN(const std::string text, construction.Attr<std::string>("data_format"));
    ASSIGN_OR_RETURN(format, ParseDataFormat(text));
    ASSIGN_OR_RETURN(training, construction.Attr<bool>("is_training"));
    ASSIGN_OR_RETURN(epsilon, construction.Attr<float>("epsilon"));
    return OkStatus();
  }

  // InvalidArgument for another rank than 4.
  Result<BiasLayout> LayoutOf(const Shape& shape) const {
    if (shape.rank() != 4) return InvalidArgument("x must have rank 4 but its shape is ", shape);
    return MakeBiasLayout(format, shape);
  }

  // That of x in the gradient's op; InvalidArgument where its other inputs do not fit it.
  Result<BiasLayout> LayoutOfGradient(const OpKernelContext& context) const {
    const Shape &gradient = context.input(0).shape(), &x = context.input(1).shape();
    ASSIGN_OR_RETURN(const BiasLayout layout, LayoutOf(x));
    if (gradient != x) return InvalidArgument("y_backprop of shape ", gradient, " for x of ", x);
    for (int i = 2; i < 5; ++i) RETURN_IF_ERROR(CheckChannelVector(context, i, layout.channels));
    return layout;
  }
};

}  // namespace tfbuild
