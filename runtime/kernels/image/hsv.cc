// RGBToHSV and HSVToRGB: colours as hue, saturation and value, each from 0 to 1.
#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {
namespace {

constexpr int64_t kHsvGrain = 8192;  // pixels that are worth a thread

Status ColourShape(ShapeContext* context) {
  const PartialShape& images = context->input(0);
  if (images.known_rank()) {
    if (images.rank() < 1) return InvalidArgument("images must be at least 1-dimensional");
    const int64_t channels = images.dim(images.rank() - 1);
    if (channels != kUnknownDim && channels != 3) {
      return InvalidArgument("images must have 3 channels, not ", channels);
    }
  }
  context->set_output(0, images);
  return OkStatus();
}

REGISTER_OP("RGBToHSV")
    .Input("images: T").Output("output: T")
    .Attr("T: {half, bfloat16, float, double} = DT_FLOAT").ShapeFunction(ColourShape);
REGISTER_OP("HSVToRGB")
    .Input("images: T").Output("output: T")
    .Attr("T: {half, bfloat16, float, double} = DT_FLOAT").ShapeFunction(ColourShape);

struct ToHsv {
  template <typename C>
  static void Convert(const C* rgb, C* hsv) {
    const C value = std::max({rgb[0], rgb[1], rgb[2]});
    const C range = value - std::min({rgb[0], rgb[1], rgb[2]});
    hsv[1] = value > 0 ? range / value : C(0);
    hsv[2] = value;
    hsv[0] = 0;
    if (!(range > 0)) return;
    C hue;
    if (rgb[0] == value) {
      hue = (rgb[1] - rgb[2]) / (6 * range);
    } else if (rgb[1] == value) {
      hue = (rgb[2] - rgb[0]) / (6 * range) + C(2) / 6;
    } else {
      hue = (rgb[0] - rgb[1]) / (6 * range) + C(4) / 6;
    }
    hsv[0] = hue < 0 ? hue + 1 : hue;
  }
};

struct ToRgb {
  template <typename C>
  static void Convert(const C* hsv, C* rgb) {
    const C place = hsv[0] * 6;
    const C whole[3] = {std::abs(place - 3) - 1, 2 - std::abs(place - 2), 2 - std::abs(place - 4)};
    for (int i = 0; i < 3; ++i) {
      const C part = std::min(std::max(whole[i], C(0)), C(1));
      rgb[i] = (1 - hsv[1] + hsv[1] * part) * hsv[2];
    }
  }
};

template <typename T, typename Way>
class ColourOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    using C = ComputeTypeOf<T>;
    const Tensor& images = context->input(0);
    if (images.rank() < 1 || images.dim(images.rank() - 1) != 3) {
      return InvalidArgument("images must have 3 channels: ", images.shape());
    }
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, images.shape()));
    const T* in = images.data<T>();
    T* out = output->mutable_data<T>();
    ParallelFor(images.num_elements() / 3, kHsvGrain, [in, out](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const C from[3] = {static_cast<C>(in[3 * i]), static_cast<C>(in[3 * i + 1]),
                           static_cast<C>(in[3 * i + 2])};
        C to[3];
        Way::Convert(from, to);
        for (int c = 0; c < 3; ++c) out[3 * i + c] = T(to[c]);
      }
    });
    return OkStatus();
  }
};

#define REGISTER(T)                                                                \
  REGISTER_KERNEL(Kernel("RGBToHSV").OnCpu().Type<T>("T"), ColourOp<T, ToHsv>);    \
  REGISTER_KERNEL(Kernel("HSVToRGB").OnCpu().Type<T>("T"), ColourOp<T, ToRgb>);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
