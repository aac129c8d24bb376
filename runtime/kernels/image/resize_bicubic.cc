// ResizeBicubic and its gradient: each pixel a mixture of sixteen, by cubic polynomials.
#include <array>
#include <limits>

#include "base/stop_look.h"
#include "kernels/image/resize.h"

namespace tfbuild {
namespace {

REGISTER_OP("ResizeBicubic")
    .Input("images: T")
    .Input("size: int32")
    .Output("resized_images: float")
    .Attr("T: {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}")
    .Attr("align_corners: bool = false")
    .Attr("half_pixel_centers: bool = false")
    .ShapeFunction(ResizeShape);

REGISTER_OP("ResizeBicubicGrad")
    .Input("grads: float")
    .Input("original_image: T")
    .Output("output: T")
    .Attr("T: {float, double}")
    .Attr("align_corners: bool = false")
    .Attr("half_pixel_centers: bool = false")
    .ShapeFunction(ResizeGradShape);

constexpr int kSteps = 1024;  // between two pixels; TensorFlow distinguishes no more places

// Weights at distances from 0 to 1 and, beside each, from 1 to 2.
using Weights = std::array<float, 2 * (kSteps + 1)>;

Weights MakeWeights(double a) {
  Weights weights;
  for (size_t i = 0; i <= kSteps; ++i) {
    float x = static_cast<float>(static_cast<double>(i) / kSteps);
    weights[2 * i] = static_cast<float>(((a + 2) * x - (a + 3)) * x * x + 1);
    x += 1;
    weights[2 * i + 1] = static_cast<float>(((a * x - 5 * a) * x + 8 * a) * x - 4 * a);
  }
  return weights;
}

// Four pixels and what each counts.
struct Four {
  int64_t index[4];
  float weight[4];

  Four(const ResizeScale& scale, int64_t x, int64_t size) {
    static const Weights old_weights = MakeWeights(-0.75), keys_weights = MakeWeights(-0.5);
    const Weights& weights = scale.half_pixel_centers ? keys_weights : old_weights;
    const float place = scale.Place(x);
    const int64_t below = static_cast<int64_t>(std::floor(place));
    const size_t step = static_cast<size_t>(std::lrint((place - static_cast<float>(below)) * kSteps));
    const float by_distance[4] = {weights[step * 2 + 1], weights[step * 2],
                                  weights[(kSteps - step) * 2], weights[(kSteps - step) * 2 + 1]};
    float sum = 0;
    for (int i = 0; i < 4; ++i) {
      const int64_t wanted = below - 1 + i;
      index[i] = std::min(size - 1, std::max<int64_t>(0, wanted));
      // What lies outside counts as the border, or, by centres, not at all.
      const bool counts = !scale.half_pixel_centers || index[i] == wanted;
      weight[i] = counts ? by_distance[i] : 0;
      sum += weight[i];
    }
    if (!scale.half_pixel_centers || std::abs(sum) < 1000 * std::numeric_limits<float>::min()) return;
    for (float& one : weight) one *= 1 / sum;
  }
};

std::vector<Four> FourAll(const ResizeScale& scale, int64_t count, int64_t size) {
  std::vector<Four> all;
  all.reserve(static_cast<size_t>(count));
  for (int64_t x = 0; x < count; ++x) all.emplace_back(scale, x, size);
  return all;
}

template <typename T>
class ResizeBicubicOp final : public ResizeKernel {
  Status Resize(OpKernelContext*, const ResizeSizes& sizes, const Tensor& images,
                Tensor* output) const override {
    const std::vector<Four> cols = FourAll(sizes.cols, sizes.out_cols, sizes.in_cols);
    const T* in = images.data<T>();
    float* out = output->mutable_data<float>();
    ForRows(sizes, [&](int64_t begin, int64_t end) {
      std::vector<float> mixed(static_cast<size_t>(sizes.in_row_size()));
      for (int64_t row = begin; row < end; ++row) {
        const Four y(sizes.rows, row % sizes.out_rows, sizes.in_rows);
        MixRows(in + row / sizes.out_rows * sizes.in_rows * sizes.in_row_size(), y,
                sizes.in_row_size(), mixed.data());
        MixCols(mixed.data(), cols, sizes.channels, out + row * sizes.out_row_size());
      }
    });
    return OkStatus();
  }

  static void MixRows(const T* image, const Four& y, int64_t size, float* mixed) {
    const T* rows[4];
    for (int i = 0; i < 4; ++i) rows[i] = image + y.index[i] * size;
    for (int64_t i = 0; i < size; ++i) {
      mixed[i] = static_cast<float>(rows[0][i]) * y.weight[0] + static_cast<float>(rows[1][i]) * y.weight[1] +
                 static_cast<float>(rows[2][i]) * y.weight[2] + static_cast<float>(rows[3][i]) * y.weight[3];
    }
  }

  static void MixCols(const float* mixed, const std::vector<Four>& cols, int64_t channels, float* out) {
    for (const Four& x : cols) {
      const float* pixels[4];
      for (int i = 0; i < 4; ++i) pixels[i] = mixed + x.index[i] * channels;
      for (int64_t c = 0; c < channels; ++c) {
        *out++ = pixels[0][c] * x.weight[0] + pixels[1][c] * x.weight[1] + pixels[2][c] * x.weight[2] +
                 pixels[3][c] * x.weight[3];
      }
    }
  }
};

template <typename T>
class ResizeBicubicGradOp final : public HostResizeGradKernel<T, double> {
  void AddImage(const ResizeSizes& sizes, const Tensor& gradient, int64_t b, double* sum) const override {
    const float* from = gradient.data<float>() + b * sizes.out_rows * sizes.out_row_size();
    const std::vector<Four> cols = FourAll(sizes.cols, sizes.out_cols, sizes.in_cols);
    StopLook look;
    for (int64_t row = 0; row < sizes.out_rows; ++row) {
      look.Turns(1 + sizes.out_row_size());
      const Four y(sizes.rows, row, sizes.in_rows);
      for (const Four& x : cols) {
        for (int64_t c = 0; c < sizes.channels; ++c) {
          const float value = *from++;
          for (int i = 0; i < 16; ++i) {
            const int64_t at = y.index[i / 4] * sizes.in_cols + x.index[i % 4];
            sum[at * sizes.channels + c] += static_cast<double>(value * y.weight[i / 4] * x.weight[i % 4]);
          }
        }
      }
    }
  }
};

#define REGISTER(T) \
  REGISTER_KERNEL(Kernel("ResizeBicubic").OnCpu().Type<T>("T"), ResizeBicubicOp<T>);
TFBUILD_IMAGE_TYPES(REGISTER)
#undef REGISTER
REGISTER_KERNEL(Kernel("ResizeBicubicGrad").OnCpu().Type<float>("T"), ResizeBicubicGradOp<float>);
REGISTER_KERNEL(Kernel("ResizeBicubicGrad").OnCpu().Type<double>("T"), ResizeBicubicGradOp<double>);

}  // namespace
}  // namespace tfbuild
