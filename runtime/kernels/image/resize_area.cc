// ResizeArea: each pixel the mean of the part of the image that it covers.
#include "kernels/image/resize.h"

namespace tfbuild {
namespace {

REGISTER_OP("ResizeArea")
    .Input("images: T")
    .Input("size: int32")
    .Output("resized_images: float")
    .Attr("T: {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}")
    .Attr("align_corners: bool = false")
    .ShapeFunction(ResizeShape);

// The pixels that a pixel of the result covers, and how much of the first and of the last.
struct Covered {
  int64_t begin = 0, end = 0;
  float first = 1, last = 1;

  Covered(const ResizeScale& scale, int64_t x) {
    const float from = static_cast<float>(x) * scale.factor;
    const float to = static_cast<float>(x + 1) * scale.factor;
    begin = static_cast<int64_t>(std::floor(from));
    end = static_cast<int64_t>(std::ceil(to));
    first = Part(begin, from, to, scale.factor);
    last = Part(end - 1, from, to, scale.factor);
  }
  float Weight(int64_t i) const { return i == begin ? first : i == end - 1 ? last : 1.0f; }

 private:
  static float Part(int64_t pixel, float from, float to, float factor) {
    const float at = static_cast<float>(pixel);
    if (at < from) return at + 1 > to ? factor : at + 1 - from;
    return at + 1 > to ? to - at : 1.0f;
  }
};

int64_t Inside(int64_t i, int64_t size) { return std::min(size - 1, std::max<int64_t>(0, i)); }

template <typename T>
class ResizeAreaOp final : public ResizeKernel {
  void Resize(const ResizeSizes& sizes, const Tensor& images, Tensor* output) const override {
    std::vector<Covered> cols;
    for (int64_t x = 0; x < sizes.out_cols; ++x) cols.emplace_back(sizes.cols, x);
    const float share = 1.0f / (sizes.rows.factor * sizes.cols.factor);
    const T* in = images.data<T>();
    float* out = output->mutable_data<float>();
    ForRows(sizes, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const Covered y(sizes.rows, row % sizes.out_rows);
        const T* image = in + row / sizes.out_rows * sizes.in_rows * sizes.in_row_size();
        float* to = out + row * sizes.out_row_size();
        std::fill(to, to + sizes.out_row_size(), 0.0f);
        for (int64_t i = y.begin; i < y.end; ++i) {
          AddRow(image + Inside(i, sizes.in_rows) * sizes.in_row_size(), y.Weight(i), sizes, cols, to);
        }
        for (int64_t i = 0; i < sizes.out_row_size(); ++i) to[i] *= share;
      }
    });
  }

  static void AddRow(const T* row, float weight, const ResizeSizes& sizes,
                     const std::vector<Covered>& cols, float* to) {
    for (const Covered& x : cols) {
      for (int64_t c = 0; c < sizes.channels; ++c) {
        float sum = 0;
        for (int64_t i = x.begin; i < x.end; ++i) {
          sum += static_cast<float>(row[Inside(i, sizes.in_cols) * sizes.channels + c]) * x.Weight(i);
        }
        *to++ += sum * weight;
      }
    }
  }
};

#define REGISTER(T) REGISTER_KERNEL(Kernel("ResizeArea").OnCpu().Type<T>("T"), ResizeAreaOp<T>);
TFBUILD_IMAGE_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
