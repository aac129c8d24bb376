// AdjustContrastv2, AdjustHue and AdjustSaturation: the colours of images, red, green and blue.
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/parallel.h"
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {
namespace {

constexpr int64_t kAdjustColourGrain = 8192;  // pixels that are worth a thread

Status AdjustedShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRankAtLeast(0, 3));
  return UnchangedShape(context);
}

REGISTER_OP("AdjustContrastv2")
    .Input("images: T").Input("contrast_factor: float").Output("output: T")
    .Attr("T: {half, float} = DT_FLOAT").ShapeFunction(AdjustedShape);
REGISTER_OP("AdjustHue")
    .Input("images: T").Input("delta: float").Output("output: T")
    .Attr("T: {half, float} = DT_FLOAT").ShapeFunction(AdjustedShape);
REGISTER_OP("AdjustSaturation")
    .Input("images: T").Input("scale: float").Output("output: T")
    .Attr("T: {half, float} = DT_FLOAT").ShapeFunction(AdjustedShape);

// Moves the hue around its circle: a colour is what its strongest and weakest light are, and where
// between them the third lies.
struct TurnHue {
  float delta;  // in circles

  void operator()(const float* in, float* out) const {
    const float low = std::min({in[0], in[1], in[2]});
    const float high = std::max({in[0], in[1], in[2]});
    float place = std::fmod(HueOf(in, low, high) + delta * 6, 6.0f);
    if (place < 0) place += 6;
    if (!(place < 6)) place = 0;
    const int sector = static_cast<int>(place);
    const float share = place - static_cast<float>(sector);
    const float middle = low + (sector % 2 == 0 ? share : 1 - share) * (high - low);
    // Which of high, middle and low is red, green and blue in each sixth of the circle.
    constexpr int kOrder[6][3] = {{0, 1, 2}, {1, 0, 2}, {2, 0, 1}, {2, 1, 0}, {1, 2, 0}, {0, 2, 1}};
    const float lights[3] = {high, middle, low};
    for (int c = 0; c < 3; ++c) out[c] = lights[kOrder[sector][c]];
  }

 private:
  // From 0 to 6; red is 0, green 2 and blue 4.
  static float HueOf(const float* in, float low, float high) {
    if (!(high > low)) return 0;
    const float range = high - low;
    if (in[0] == high) return in[1] >= in[2] ? (in[1] - low) / range : 6 - (in[2] - low) / range;
    if (in[1] == high) return in[2] >= in[0] ? 2 + (in[2] - low) / range : 2 - (in[0] - low) / range;
    return in[0] >= in[1] ? 4 + (in[0] - low) / range : 4 - (in[1] - low) / range;
  }
};

// Changes how far the weaker lights are from the strongest, up to what makes one of them 0.
struct ScaleSaturation {
  float scale;

  void operator()(const float* in, float* out) const {
    const float low = std::min({in[0], in[1], in[2]});
    const float high = std::max({in[0], in[1], in[2]});
    const float range = high - low;
    if (!(range > 0)) {
      std::copy_n(in, 3, out);
      return;
    }
    const float before = high > 0 ? range / high : 0;
    const float after = std::min(1.0f, std::max(0.0f, before * scale)) * high;
    for (int c = 0; c < 3; ++c) out[c] = high - after * ((high - in[c]) / range);
  }
};

Result<float> FactorOf(const OpKernelContext& context) {
  const Tensor& factor = context.input(1);
  if (factor.rank() != 0) return InvalidArgument("the factor must be a scalar: ", factor.shape());
  return *factor.data<float>();
}

template <typename T, typename Way>
class AdjustColourOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& images = context->input(0);
    ASSIGN_OR_RETURN(const float factor, FactorOf(*context));
    if (images.rank() < 3 || images.dim(images.rank() - 1) != 3) {
      return InvalidArgument("images must have 3 channels: ", images.shape());
    }
    ASSIGN_OR_RETURN(Tensor * output, context->ForwardOrAllocateOutput({0}, 0, images.shape()));
    const T* in = images.data<T>();
    T* out = output->mutable_data<T>();
    const Way way{factor};
    ParallelFor(images.num_elements() / 3, kAdjustColourGrain, [&](int64_t begin, int64_t end) {
      for (int64_t i = 3 * begin; i < 3 * end; i += 3) {
        const float from[3] = {static_cast<float>(in[i]), static_cast<float>(in[i + 1]),
                               static_cast<float>(in[i + 2])};
        float to[3];
        way(from, to);
        for (int c = 0; c < 3; ++c) out[i + c] = static_cast<T>(to[c]);
      }
    });
    return OkStatus();
  }
};

// Each number as many times as far from the mean of its channel in its image.
template <typename T>
class AdjustContrastOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& images = context->input(0);
    ASSIGN_OR_RETURN(const float factor, FactorOf(*context));
    const int rank = images.rank();
    if (rank < 3) return InvalidArgument("images must be at least 3-dimensional: ", images.shape());
    ASSIGN_OR_RETURN(Tensor * output, context->ForwardOrAllocateOutput({0}, 0, images.shape()));
    const int64_t channels = images.dim(rank - 1);
    const int64_t image = images.dim(rank - 3) * images.dim(rank - 2) * channels;
    if (image == 0) return OkStatus();
    const T* in = images.data<T>();
    T* out = output->mutable_data<T>();
    const int64_t grain = kAdjustColourGrain / image + 1;
    ParallelFor(images.num_elements() / image, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) Adjust(in + i * image, image, channels, factor, out + i * image);
    });
    return OkStatus();
  }

 private:
  static void Adjust(const T* in, int64_t size, int64_t channels, float factor, T* out) {
    std::vector<double> sums(static_cast<size_t>(channels));
    for (int64_t i = 0; i < size; i += channels) {
      for (int64_t c = 0; c < channels; ++c) {
        sums[static_cast<size_t>(c)] += static_cast<double>(static_cast<float>(in[i + c]));
      }
    }
    std::vector<float> means;
    for (const double sum : sums) {
      means.push_back(static_cast<float>(sum / static_cast<double>(size / channels)));
    }
    for (int64_t i = 0; i < size; i += channels) {
      for (int64_t c = 0; c < channels; ++c) {
        const float mean = means[static_cast<size_t>(c)];
        out[i + c] = static_cast<T>((static_cast<float>(in[i + c]) - mean) * factor + mean);
      }
    }
  }
};

#define REGISTER(T)                                                                               \
  REGISTER_KERNEL(Kernel("AdjustContrastv2").OnCpu().Type<T>("T"), AdjustContrastOp<T>);          \
  REGISTER_KERNEL(Kernel("AdjustHue").OnCpu().Type<T>("T"), AdjustColourOp<T, TurnHue>);          \
  REGISTER_KERNEL(Kernel("AdjustSaturation").OnCpu().Type<T>("T"), AdjustColourOp<T, ScaleSaturation>);
REGISTER(float)
REGISTER(Half)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
