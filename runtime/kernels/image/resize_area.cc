// ResizeArea: each pixel the mean of the part of the image that it covers.
#include "kernels/framework/vector_target.h"
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
    if (scale.factor == 0) {  // a side of one pixel, from corner to corner
      end = 1;
      return;
    }
    const float from = static_cast<float>(x) * scale.factor;
    const float to = static_cast<float>(x + 1) * scale.factor;
    begin = static_cast<int64_t>(std::floor(from));
    end = std::max(begin + 1, static_cast<int64_t>(std::ceil(to)));
    first = Part(begin, from, to, scale.factor);
    last = Part(end - 1, from, to, scale.factor);
  }
  // The sum of its weights.
  static float Width(const ResizeScale& scale) { return scale.factor == 0 ? 1.0f : scale.factor; }
  float Weight(int64_t i) const { return i == begin ? first : i == end - 1 ? last : 1.0f; }

 private:
  static float Part(int64_t pixel, float from, float to, float factor) {
    const float at = static_cast<float>(pixel);
    if (at < from) return at + 1 > to ? factor : at + 1 - from;
    return at + 1 > to ? to - at : 1.0f;
  }
};

// Pixels beyond the image are as the last one in it.
int64_t Inside(int64_t i, int64_t size) { return std::min(size - 1, std::max<int64_t>(0, i)); }

template <typename T>
struct WeighRow {
  template <int kVectorBytes>
  static TFBUILD_ALWAYS_INLINE void Run(const T* from, float weight, int64_t count, float* sums) {
    for (int64_t i = 0; i < count; ++i) sums[i] = static_cast<float>(from[i]) * weight;
  }
};
template <typename T>
struct AddWeighedRow {
  template <int kVectorBytes>
  static TFBUILD_ALWAYS_INLINE void Run(const T* from, float weight, int64_t count, float* sums) {
    for (int64_t i = 0; i < count; ++i) sums[i] += static_cast<float>(from[i]) * weight;
  }
};

// The sums of columns of a row of sums, which goes on as far as they do.
struct SumCols {
  // kChannels 0: as many as given.
  template <int kChannels>
  static void Run(const float* sums, const std::vector<Covered>& cols, int64_t given, float* to) {
    const int64_t channels = kChannels == 0 ? given : kChannels;
    for (const Covered& x : cols) {
      const float* from = sums + x.begin * channels;
      for (int64_t c = 0; c < channels; ++c) to[c] = from[c] * x.first;
      const float* const last = sums + (x.end - 1) * channels;
      for (from += channels; from < last; from += channels) {
        for (int64_t c = 0; c < channels; ++c) to[c] += from[c];
      }
      if (from == last) {
        for (int64_t c = 0; c < channels; ++c) to[c] += from[c] * x.last;
      }
      to += channels;
    }
  }
  static auto Of(int64_t channels) {
    return channels == 1 ? Run<1> : channels == 3 ? Run<3> : channels == 4 ? Run<4> : Run<0>;
  }
};

template <typename T>
class ResizeAreaOp final : public ResizeKernel {
  Status Resize(OpKernelContext*, const ResizeSizes& sizes, const Tensor& images,
                Tensor* output) const override {
    std::vector<Covered> cols;
    for (int64_t x = 0; x < sizes.out_cols; ++x) cols.emplace_back(sizes.cols, x);
    const int64_t widest = std::max(sizes.in_cols, cols.back().end);
    const int64_t row_size = sizes.in_row_size();
    const float share = 1.0f / (Covered::Width(sizes.rows) * Covered::Width(sizes.cols));
    const auto sum_cols = SumCols::Of(sizes.channels);
    const T* in = images.data<T>();
    float* out = output->mutable_data<float>();
    ForRows(sizes, [&](int64_t begin, int64_t end) {
      std::vector<float> sums(static_cast<size_t>(widest * sizes.channels));
      for (int64_t row = begin; row < end; ++row) {
        const Covered y(sizes.rows, row % sizes.out_rows);
        const T* image = in + row / sizes.out_rows * sizes.in_rows * row_size;
        for (int64_t i = y.begin; i < y.end; ++i) {
          const T* from = image + Inside(i, sizes.in_rows) * row_size;
          const float weight = y.Weight(i) * share;
          if (i == y.begin) {
            RunVectorised<WeighRow<T>>(from, weight, row_size, sums.data());
          } else {
            RunVectorised<AddWeighedRow<T>>(from, weight, row_size, sums.data());
          }
        }
        for (size_t i = static_cast<size_t>(row_size); i < sums.size(); ++i) {
          sums[i] = sums[i - static_cast<size_t>(sizes.channels)];  // its last pixel again
        }
        sum_cols(sums.data(), cols, sizes.channels, out + row * sizes.out_row_size());
      }
    });
    return OkStatus();
  }
};

#define REGISTER(T) REGISTER_KERNEL(Kernel("ResizeArea").OnCpu().Type<T>("T"), ResizeAreaOp<T>);
TFBUILD_IMAGE_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
