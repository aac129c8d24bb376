// ResizeNearestNeighbor and its gradient: each pixel that of the image which is nearest.
#include <cstring>

#include "base/parallel.h"
#include "kernels/image/resize.h"

namespace tfbuild {
namespace {

constexpr int64_t kGrain = 32768;  // elements that are worth a thread

REGISTER_OP("ResizeNearestNeighbor")
    .Input("images: T")
    .Input("size: int32")
    .Output("resized_images: T")
    .Attr("T: {int8, uint8, int16, int32, int64, half, float, double, bfloat16}")
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

// The pixel of the image that is nearest to pixel x of the result.
int64_t Nearest(const ResizeScale& scale, const ResizeSettings& settings, int64_t x,
                int64_t size) {
  const float factor = static_cast<float>(scale.factor);
  const float place = settings.half_pixel_centers ? (static_cast<float>(x) + 0.5f) * factor
                                                  : static_cast<float>(x) * factor;
  const float whole = settings.align_corners ? std::round(place) : std::floor(place);
  return std::max<int64_t>(0, std::min<int64_t>(static_cast<int64_t>(whole), size - 1));
}

template <typename T>
class ResizeNearestOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    return settings_.Read(construction);
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& images = context->input(0);
    ASSIGN_OR_RETURN(const std::vector<int64_t> size, ResizeTo(context->input(1)));
    ASSIGN_OR_RETURN(const ResizeSizes sizes,
                     ResizeSizes::Make(images.shape(), size[0], size[1], settings_));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, sizes.output()));
    if (output->num_elements() == 0) return OkStatus();
    const T* in = images.data<T>();
    T* out = output->mutable_data<T>();
    const int64_t channels = sizes.channels;
    const int64_t row_size = sizes.out_cols * channels;
    ParallelFor(sizes.batch * sizes.out_rows, kGrain / row_size + 1,
                [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const int64_t y = Nearest(sizes.rows, settings_, row % sizes.out_rows, sizes.in_rows);
        const T* from = in + (row / sizes.out_rows * sizes.in_rows + y) * sizes.in_cols * channels;
        T* to = out + row * row_size;
        for (int64_t col = 0; col < sizes.out_cols; ++col, to += channels) {
          const int64_t x = Nearest(sizes.cols, settings_, col, sizes.in_cols);
          std::copy(from + x * channels, from + (x + 1) * channels, to);
        }
      }
    });
    return OkStatus();
  }

 private:
  ResizeSettings settings_;
};

template <typename T>
class ResizeNearestGradOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    return settings_.Read(construction);
  }

  Status Compute(OpKernelContext* context) override {
    using C = ComputeTypeOf<T>;
    const Tensor& gradient = context->input(0);
    ASSIGN_OR_RETURN(const std::vector<int64_t> size, ResizeTo(context->input(1)));
    if (gradient.rank() != 4) return InvalidArgument("grads must be 4-dimensional");
    ASSIGN_OR_RETURN(const Shape original, Shape::Make({gradient.dim(0), size[0], size[1],
                                                        gradient.dim(3)}));
    ASSIGN_OR_RETURN(const ResizeSizes sizes, ResizeSizes::Make(original, gradient.dim(1),
                                                                gradient.dim(2), settings_));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, original));
    ASSIGN_OR_RETURN(Tensor sums, context->AllocateTemp(DTypeOf<C>::value, original));
    C* sum = sums.mutable_data<C>();
    std::fill(sum, sum + sums.num_elements(), C(0));
    const T* from = gradient.data<T>();
    // Of an empty gradient the other dimensions may be of any size.
    const int64_t rows = gradient.num_elements() == 0 ? 0 : sizes.batch * sizes.out_rows;
    for (int64_t row = 0; row < rows; ++row) {
      const int64_t y = Nearest(sizes.rows, settings_, row % sizes.out_rows, sizes.in_rows);
      C* to = sum + (row / sizes.out_rows * sizes.in_rows + y) * sizes.in_cols * sizes.channels;
      for (int64_t col = 0; col < sizes.out_cols; ++col) {
        const int64_t x = Nearest(sizes.cols, settings_, col, sizes.in_cols);
        for (int64_t c = 0; c < sizes.channels; ++c) {
          C& target = to[x * sizes.channels + c];
          target = static_cast<C>(target + static_cast<C>(*from++));
        }
      }
    }
    T* out = output->mutable_data<T>();
    for (int64_t i = 0; i < sums.num_elements(); ++i) out[i] = static_cast<T>(sum[i]);
    return OkStatus();
  }

 private:
  ResizeSettings settings_;
};

#define REGISTER(T) \
  REGISTER_KERNEL(Kernel("ResizeNearestNeighbor").OnCpu().Type<T>("T"), ResizeNearestOp<T>);
REGISTER(float)
REGISTER(double)
REGISTER(Half)
REGISTER(BFloat16)
REGISTER(uint8_t)
REGISTER(int8_t)
REGISTER(int16_t)
REGISTER(int32_t)
REGISTER(int64_t)
#undef REGISTER
#define REGISTER(T)                                                       \
  REGISTER_KERNEL(Kernel("ResizeNearestNeighborGrad").OnCpu().Type<T>("T"), \
                  ResizeNearestGradOp<T>);
REGISTER(float)
REGISTER(double)
REGISTER(Half)
REGISTER(BFloat16)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
