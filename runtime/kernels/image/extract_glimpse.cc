// ExtractGlimpse, V1 and V2: a window of each image, with noise where it lies outside.
#include <algorithm>
#include <cmath>
#include <random>

#include "base/stop_look.h"
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {
namespace {

Status GlimpseShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const PartialShape images, context->WithRank(0, 4));
  ASSIGN_OR_RETURN(const PartialShape offsets, context->WithRank(2, 2));
  ASSIGN_OR_RETURN(const PartialShape size, context->input_as_shape(1));
  const bool known = size.known_rank() && size.rank() == 2;
  const int64_t batch = images.dim(0) == kUnknownDim ? offsets.dim(0) : images.dim(0);
  context->set_output(0, {batch, known ? size.dim(0) : kUnknownDim,
                          known ? size.dim(1) : kUnknownDim, images.dim(3)});
  return OkStatus();
}

#define DEFINE(name)                         \
  REGISTER_OP(name)                          \
      .Input("input: float")                 \
      .Input("size: int32")                  \
      .Input("offsets: float")               \
      .Output("glimpse: float")              \
      .Attr("centered: bool = true")         \
      .Attr("normalized: bool = true")       \
      .Attr("uniform_noise: bool = true")    \
      .Attr("noise: string = 'uniform'")     \
      .ShapeFunction(GlimpseShape)
DEFINE("ExtractGlimpse");
DEFINE("ExtractGlimpseV2");
#undef DEFINE

enum class Noise { kUniform, kGaussian, kZero };

struct Window {
  int64_t height;
  int64_t width;
};

// Fills a window with what noise takes from the values of the image.
void Fill(const float* image, int64_t values, Noise noise, std::mt19937* random, float* out, int64_t count) {
  if (noise == Noise::kZero || values == 0) {
    std::fill_n(out, count, 0.0f);
  } else if (noise == Noise::kUniform) {
    const auto [least, most] = std::minmax_element(image, image + values);
    std::uniform_real_distribution<float> draw(0.0f, 1.0f);
    StopLook look;
    for (int64_t i = 0; i < count; ++i) {
      look.Turn();
      out[i] = *least + (*most - *least) * draw(*random);
    }
  } else {
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < values; ++i) sum += image[i];
    const double mean = sum / static_cast<double>(values);
    for (int64_t i = 0; i < values; ++i) squares += (image[i] - mean) * (image[i] - mean);
    const double deviation = std::sqrt(squares / static_cast<double>(values));
    std::normal_distribution<float> draw(0.0f, 1.0f);
    StopLook look;
    for (int64_t i = 0; i < count; ++i) {
      look.Turn();
      out[i] = static_cast<float>(mean + deviation * static_cast<double>(draw(*random)));
    }
  }
}

// Where a window begins along an axis. It lies where no image is for an offset that is no number.
int64_t Begin(double place) {
  constexpr double kFar = 1e15;
  return std::isfinite(place) ? static_cast<int64_t>(std::clamp(place, -kFar, kFar)) : -(int64_t{1} << 50);
}

template <int kVersion>
class ExtractGlimpseOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(centered_, construction.Attr<bool>("centered"));
    ASSIGN_OR_RETURN(normalized_, construction.Attr<bool>("normalized"));
    ASSIGN_OR_RETURN(const bool uniform, construction.Attr<bool>("uniform_noise"));
    ASSIGN_OR_RETURN(const std::string noise, construction.Attr<std::string>("noise"));
    if (uniform && noise != "uniform") {
      return InvalidArgument("The uniform_noise and noise should not be specified at the same time");
    }
    if (noise == "gaussian") noise_ = Noise::kGaussian;
    else if (noise == "zero") noise_ = Noise::kZero;
    else if (noise != "uniform") return InvalidArgument("noise is of no kind that there is: ", noise);
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& images = context->input(0);
    const Tensor& size = context->input(1);
    const Tensor& offsets = context->input(2);
    if (images.rank() != 4) return InvalidArgument("input must be 4-dimensional: ", images.shape());
    if (size.shape() != Shape{2}) return InvalidArgument("input must be a vector of size 2: ", size.shape());
    if (offsets.shape() != Shape{images.dim(0), 2}) {
      return InvalidArgument("offsets must be [", images.dim(0), ", 2]: ", offsets.shape());
    }
    const Window window{size.data<int32_t>()[0], size.data<int32_t>()[1]};
    if (window.height <= 0 || window.width <= 0) {
      return InvalidArgument("the glimpse must have positive sides, not ", window.height, " and ",
                             window.width);
    }
    ASSIGN_OR_RETURN(const Shape shape,
                     Shape::Make({images.dim(0), window.height, window.width, images.dim(3)}));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    std::mt19937 random;  // the op has no seeds
    const int64_t values = images.dim(1) * images.dim(2) * images.dim(3);
    const int64_t taken = window.height * window.width * images.dim(3);
    for (int64_t b = 0; b < images.dim(0); ++b) {
      ThrowIfStopped();
      const float* const image = images.data<float>() + b * values;
      float* const out = output->mutable_data<float>() + b * taken;
      Fill(image, values, noise_, &random, out, taken);
      Copy(images.shape(), image, offsets.data<float>() + 2 * b, window, out);
    }
    return OkStatus();
  }
  bool IsExpensive() const override { return true; }

 private:
  // From the offset of one axis, as TensorFlow's two versions reckon.
  int64_t BeginAlong(float offset, int64_t side, int64_t window) const {
    const float half = static_cast<float>(side) / 2.0f;
    const float half_window = static_cast<float>(window) / 2.0f;
    float place = normalized_ ? offset * static_cast<float>(side) : offset;
    if (kVersion == 1) {
      if (centered_) place = place / 2.0f + half;
      place -= half_window;
    } else if (centered_) {
      place = normalized_ ? place / 2.0f + half - half_window : place + half;
    }
    return Begin(place);
  }

  void Copy(const Shape& shape, const float* image, const float* offset, const Window& window,
            float* out) const {
    const int64_t height = shape.dim(1), width = shape.dim(2), channels = shape.dim(3);
    const int64_t top = BeginAlong(offset[0], height, window.height);
    const int64_t left = BeginAlong(offset[1], width, window.width);
    const int64_t first = std::max<int64_t>(0, left), last = std::min(width, left + window.width);
    if (first >= last) return;
    for (int64_t row = std::max<int64_t>(0, top); row < std::min(height, top + window.height); ++row) {
      std::copy_n(image + (row * width + first) * channels, (last - first) * channels,
                  out + ((row - top) * window.width + first - left) * channels);
    }
  }

  bool centered_ = true;
  bool normalized_ = true;
  Noise noise_ = Noise::kUniform;
};

REGISTER_KERNEL(Kernel("ExtractGlimpse").OnCpu(), ExtractGlimpseOp<1>);
REGISTER_KERNEL(Kernel("ExtractGlimpseV2").OnCpu(), ExtractGlimpseOp<2>);

}  // namespace
}  // namespace tfbuild
