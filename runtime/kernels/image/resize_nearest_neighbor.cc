// ResizeNearestNeighbor and its gradient: each pixel that of the image which is nearest.
#include <cstring>

#include "base/stop_look.h"
#include "kernels/image/resize.h"

namespace tfbuild {
namespace {

REGISTER_OP("ResizeNearestNeighbor")
    .Input("images: T")
    .Input("size: int32")
    .Output("resized_images: T")
    .Attr("T: {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}")
    .Attr("align_corners: bool = false")
    .Attr("half_pixel_centers: bool = false")
    .ShapeFunction(ResizeShape);

REGISTER_OP("ResizeNearestNeighborGrad")
    .Input("grads: T")
    .Input("size: int32")
    .Output("output: T")
    .Attr("T: {uint8, int8, int32, half, float, double, bfloat16}")
    .Attr("align_corners: bool = false")
    .Attr("half_pixel_centers: bool = false")
    .ShapeFunction(ResizeShape);

std::vector<int64_t> NearestCols(const ResizeSizes& sizes) {
  std::vector<int64_t> cols(static_cast<size_t>(sizes.out_cols));
  for (size_t x = 0; x < cols.size(); ++x) {
    cols[x] = sizes.cols.Nearest(static_cast<int64_t>(x), sizes.in_cols);
  }
  return cols;
}

// Pixels of a number of bytes that the compiler knows are moved without a call.
template <size_t kBytes>
void TakePixels(const char* row, const std::vector<int64_t>& cols, size_t bytes, char* to) {
  const size_t width = kBytes > 0 ? kBytes : bytes;
  for (const int64_t col : cols) {
    std::memcpy(to, row + static_cast<size_t>(col) * width, width);
    to += width;
  }
}

using Take = void (*)(const char*, const std::vector<int64_t>&, size_t, char*);

Take TakeOf(size_t bytes) {
  switch (bytes) {
    case 1: return TakePixels<1>;
    case 2: return TakePixels<2>;
    case 3: return TakePixels<3>;
    case 4: return TakePixels<4>;
    case 8: return TakePixels<8>;
    case 12: return TakePixels<12>;
    case 16: return TakePixels<16>;
    default: return TakePixels<0>;
  }
}

template <typename T>
class ResizeNearestOp final : public ResizeKernel {
  Status Resize(OpKernelContext*, const ResizeSizes& sizes, const Tensor& images,
                Tensor* output) const override {
    const std::vector<int64_t> cols = NearestCols(sizes);
    const size_t bytes = static_cast<size_t>(sizes.channels) * sizeof(T);
    const Take take = TakeOf(bytes);
    const T* in = images.data<T>();
    T* out = output->mutable_data<T>();
    ForRows(sizes, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const int64_t y = sizes.rows.Nearest(row % sizes.out_rows, sizes.in_rows);
        const T* from = in + (row / sizes.out_rows * sizes.in_rows + y) * sizes.in_row_size();
        take(reinterpret_cast<const char*>(from), cols, bytes,
             reinterpret_cast<char*>(out + row * sizes.out_row_size()));
      }
    });
    return OkStatus();
  }
};

template <typename T>
class ResizeNearestGradOp final : public HostResizeGradKernel<T, ComputeTypeOf<T>, ResizeGradToSizeKernel> {
  using C = ComputeTypeOf<T>;

  void AddImage(const ResizeSizes& sizes, const Tensor& gradient, int64_t b, C* sum) const override {
    const T* from = gradient.data<T>() + b * sizes.out_rows * sizes.out_row_size();
    const std::vector<int64_t> cols = NearestCols(sizes);
    StopLook look;
    for (int64_t row = 0; row < sizes.out_rows; ++row) {
      look.Turns(1 + sizes.out_row_size());
      C* to = sum + sizes.rows.Nearest(row, sizes.in_rows) * sizes.in_row_size();
      for (const int64_t col : cols) {
        for (int64_t c = 0; c < sizes.channels; ++c) {
          C& target = to[col * sizes.channels + c];
          target = static_cast<C>(target + static_cast<C>(*from++));
        }
      }
    }
  }
};

#define REGISTER(T) \
  REGISTER_KERNEL(Kernel("ResizeNearestNeighbor").OnCpu().Type<T>("T"), ResizeNearestOp<T>);
TFBUILD_IMAGE_TYPES(REGISTER)
#undef REGISTER
#define REGISTER(T)                                                       \
  REGISTER_KERNEL(Kernel("ResizeNearestNeighborGrad").OnCpu().Type<T>("T"), \
                  ResizeNearestGradOp<T>);
TFBUILD_FLOATING_TYPES(REGISTER)
REGISTER(uint8_t)
REGISTER(int8_t)
REGISTER(int32_t)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
