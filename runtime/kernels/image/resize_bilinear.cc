// ResizeBilinear and its gradient: each pixel a mixture of the four that are nearest.
#include "base/stop_look.h"
#include "kernels/image/resize.h"

namespace tfbuild {
namespace {

REGISTER_OP("ResizeBilinear")
    .Input("images: T")
    .Input("size: int32")
    .Output("resized_images: float")
    .Attr("T: {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}")
    .Attr("align_corners: bool = false")
    .Attr("half_pixel_centers: bool = false")
    .ShapeFunction(ResizeShape);

REGISTER_OP("ResizeBilinearGrad")
    .Input("grads: float")
    .Input("original_image: T")
    .Output("output: T")
    .Attr("T: {float, half, double, bfloat16}")
    .Attr("align_corners: bool = false")
    .Attr("half_pixel_centers: bool = false")
    .ShapeFunction(ResizeGradShape);

std::vector<Between> BetweenAll(const ResizeScale& scale, int64_t count, int64_t size) {
  std::vector<Between> all;
  all.reserve(static_cast<size_t>(count));
  for (int64_t x = 0; x < count; ++x) all.emplace_back(scale, x, size);
  return all;
}

// Four numbers that lie one behind the other, as floats; written with GCC's vectors, which every x86-64
// processor has.
typedef float FourFloats __attribute__((vector_size(16)));

inline FourFloats FourAt(const float* from) {
  FourFloats four;
  __builtin_memcpy(&four, from, sizeof(four));
  return four;
}

// In two steps, each of which is one instruction everywhere.
inline FourFloats FourAt(const uint8_t* from) {
  typedef uint8_t Bytes __attribute__((vector_size(16)));
  typedef uint16_t Pairs __attribute__((vector_size(16)));
  typedef uint32_t Words __attribute__((vector_size(16)));
  typedef int32_t Integers __attribute__((vector_size(16)));
  uint32_t word;
  __builtin_memcpy(&word, from, sizeof(word));
  const Bytes packed = reinterpret_cast<Bytes>(Words{word, 0, 0, 0});
  const Bytes apart = __builtin_shuffle(
      packed, Bytes{}, Bytes{0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23});
  const Pairs wide = __builtin_shuffle(reinterpret_cast<Pairs>(apart), Pairs{},
                                       Pairs{0, 8, 1, 9, 2, 10, 3, 11});
  return __builtin_convertvector(reinterpret_cast<Integers>(wide), FourFloats);
}

// Mixes pixels of three colours, each as four numbers of which the next pixel writes over the last, as
// long as that reads nothing behind the row; says how many pixels of the result it made.
template <typename T>
size_t MixThrees(const T* row, int64_t row_size, const std::vector<Between>& cols, float* out) {
  size_t x = 0;
  for (; x + 1 < cols.size() && cols[x].upper * 3 + 4 <= row_size; ++x, out += 3) {
    const FourFloats left = FourAt(row + cols[x].lower * 3);
    const FourFloats right = FourAt(row + cols[x].upper * 3);
    const FourFloats mixed = left + (right - left) * cols[x].share;
    __builtin_memcpy(out, &mixed, sizeof(mixed));
  }
  return x;
}

// Rows of an image mixed from left to right. Rows of the result that lie between the same two, or the
// next, find them again.
template <typename T>
class MixedRows {
 public:
  MixedRows(const ResizeSizes& sizes, const std::vector<Between>& cols) : sizes_(sizes), cols_(cols) {
    for (Kept& kept : kept_) kept.values.resize(static_cast<size_t>(sizes.out_row_size()));
  }

  // Good until the call after the next.
  const float* Row(const T* row) {
    for (const Kept& kept : kept_) {
      if (kept.row == row) return kept.values.data();
    }
    std::swap(kept_[0], kept_[1]);
    kept_[0].row = row;
    Mix(row, kept_[0].values.data());
    return kept_[0].values.data();
  }

 private:
  struct Kept {
    const T* row = nullptr;
    std::vector<float> values;
  };

  void Mix(const T* row, float* out) const {
    switch (sizes_.channels) {
      case 1: return MixOf<1>(row, out);
      case 3: return MixOf<3>(row, out);
      default: return MixOf<0>(row, out);
    }
  }

  // kChannels 0: as many as there are.
  template <int kChannels>
  void MixOf(const T* row, float* out) const {
    const int64_t channels = kChannels == 0 ? sizes_.channels : kChannels;
    size_t done = 0;
    if constexpr (kChannels == 3 && (std::is_same_v<T, uint8_t> || std::is_same_v<T, float>)) {
      done = MixThrees(row, sizes_.in_row_size(), cols_, out);
      out += done * kChannels;
    }
    for (; done < cols_.size(); ++done) {
      const Between& x = cols_[done];
      const T* left = row + x.lower * channels;
      const T* right = row + x.upper * channels;
      for (int64_t c = 0; c < channels; ++c) {
        const float from = static_cast<float>(left[c]);
        *out++ = from + (static_cast<float>(right[c]) - from) * x.share;
      }
    }
  }

  const ResizeSizes& sizes_;
  const std::vector<Between>& cols_;
  Kept kept_[2];
};

template <typename T>
class ResizeBilinearOp final : public ResizeKernel {
  Status Resize(OpKernelContext*, const ResizeSizes& sizes, const Tensor& images,
                Tensor* output) const override {
    const std::vector<Between> cols = BetweenAll(sizes.cols, sizes.out_cols, sizes.in_cols);
    const T* in = images.data<T>();
    float* out = output->mutable_data<float>();
    ForRows(sizes, [&](int64_t begin, int64_t end) {
      MixedRows<T> mixed(sizes, cols);
      for (int64_t row = begin; row < end; ++row) {
        const Between y(sizes.rows, row % sizes.out_rows, sizes.in_rows);
        const T* image = in + row / sizes.out_rows * sizes.in_rows * sizes.in_row_size();
        const float* above = mixed.Row(image + y.lower * sizes.in_row_size());
        const float* below = mixed.Row(image + y.upper * sizes.in_row_size());
        float* to = out + row * sizes.out_row_size();
        for (int64_t i = 0; i < sizes.out_row_size(); ++i) {
          to[i] = above[i] + (below[i] - above[i]) * y.share;
        }
      }
    });
    return OkStatus();
  }
};

template <typename T>
class ResizeBilinearGradOp final : public HostResizeGradKernel<T, double> {
  void AddImage(const ResizeSizes& sizes, const Tensor& gradient, int64_t b, double* sum) const override {
    const float* from = gradient.data<float>() + b * sizes.out_rows * sizes.out_row_size();
    const std::vector<Between> cols = BetweenAll(sizes.cols, sizes.out_cols, sizes.in_cols);
    StopLook look;
    for (int64_t row = 0; row < sizes.out_rows; ++row) {
      look.Turns(1 + sizes.out_row_size());
      const Between y(sizes.rows, row, sizes.in_rows);
      for (const Between& x : cols) {
        const auto at = [&](int64_t r, int64_t c) {
          return sum + (r * sizes.in_cols + c) * sizes.channels;
        };
        double* corners[4] = {at(y.lower, x.lower), at(y.lower, x.upper), at(y.upper, x.lower),
                              at(y.upper, x.upper)};
        const float shares[4] = {(1 - y.share) * (1 - x.share), (1 - y.share) * x.share,
                                 y.share * (1 - x.share), y.share * x.share};
        for (int64_t c = 0; c < sizes.channels; ++c) {
          const float value = *from++;
          for (int i = 0; i < 4; ++i) corners[i][c] += static_cast<double>(value * shares[i]);
        }
      }
    }
  }
};

#define REGISTER(T) \
  REGISTER_KERNEL(Kernel("ResizeBilinear").OnCpu().Type<T>("T"), ResizeBilinearOp<T>);
TFBUILD_IMAGE_TYPES(REGISTER)
#undef REGISTER
#define REGISTER(T) \
  REGISTER_KERNEL(Kernel("ResizeBilinearGrad").OnCpu().Type<T>("T"), ResizeBilinearGradOp<T>);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
