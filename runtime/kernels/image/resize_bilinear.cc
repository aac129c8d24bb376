// ResizeBilinear and its gradient: each pixel a mixture of the four that are nearest.
#include "base/parallel.h"
#include "kernels/image/resize.h"

namespace tfbuild {
namespace {

constexpr int64_t kGrain = 8192;  // elements that are worth a thread

Status BilinearGradShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(PartialShape shape, context->WithRank(1, 4));
  context->set_output(0, std::move(shape));
  return OkStatus();
}

REGISTER_OP("ResizeBilinear")
    .Input("images: T")
    .Input("size: int32")
    .Output("resized_images: float")
    .Attr("T: {int8, uint8, int16, int32, int64, half, float, double, bfloat16}")
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
    .ShapeFunction(BilinearGradShape);

// The two pixels that a place lies between, and how far it is from the first.
struct Between {
  int64_t lower = 0, upper = 0;
  float share = 0;

  Between(const ResizeScale& scale, int64_t x, int64_t size) {
    const float place = scale.Place(x);
    const float below = std::floor(place);
    lower = std::max<int64_t>(static_cast<int64_t>(below), 0);
    upper = std::min<int64_t>(static_cast<int64_t>(std::ceil(place)), size - 1);
    share = place - below;
  }
};

template <typename T>
class ResizeBilinearOp final : public OpKernel {
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
    float* out = output->mutable_data<float>();
    const int64_t row_size = sizes.out_cols * sizes.channels;
    ParallelFor(sizes.batch * sizes.out_rows, kGrain / row_size + 1,
                [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const Between y(sizes.rows, row % sizes.out_rows, sizes.in_rows);
        const T* image = in + row / sizes.out_rows * sizes.in_rows * sizes.in_cols * sizes.channels;
        Row(sizes, y, image, out + row * row_size);
      }
    });
    return OkStatus();
  }

  bool IsExpensive() const override { return true; }

 private:
  static void Row(const ResizeSizes& sizes, const Between& y, const T* image, float* out) {
    const int64_t channels = sizes.channels;
    const T* top = image + y.lower * sizes.in_cols * channels;
    const T* bottom = image + y.upper * sizes.in_cols * channels;
    for (int64_t col = 0; col < sizes.out_cols; ++col) {
      const Between x(sizes.cols, col, sizes.in_cols);
      for (int64_t c = 0; c < channels; ++c) {
        const float top_left = static_cast<float>(top[x.lower * channels + c]);
        const float top_right = static_cast<float>(top[x.upper * channels + c]);
        const float bottom_left = static_cast<float>(bottom[x.lower * channels + c]);
        const float bottom_right = static_cast<float>(bottom[x.upper * channels + c]);
        const float above = top_left + (top_right - top_left) * x.share;
        const float below = bottom_left + (bottom_right - bottom_left) * x.share;
        *out++ = above + (below - above) * y.share;
      }
    }
  }

  ResizeSettings settings_;
};

template <typename T>
class ResizeBilinearGradOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    return settings_.Read(construction);
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& gradient = context->input(0);
    const Shape& original = context->input(1).shape();
    if (gradient.rank() != 4) return InvalidArgument("grads must be 4-dimensional");
    ASSIGN_OR_RETURN(const ResizeSizes sizes, ResizeSizes::Make(original, gradient.dim(1),
                                                                gradient.dim(2), settings_));
    if (gradient.shape() != sizes.output()) {
      return InvalidArgument("grads of shape ", gradient.shape(), " for images of ", original);
    }
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, original));
    ASSIGN_OR_RETURN(Tensor sums, context->AllocateTemp(DType::kDouble, original));
    double* sum = sums.mutable_data<double>();
    std::fill(sum, sum + sums.num_elements(), 0.0);
    // Of an empty gradient the other dimensions may be of any size.
    const int64_t batch = gradient.num_elements() == 0 ? 0 : sizes.batch;
    const int64_t image = batch == 0 ? 0 : sizes.in_rows * sizes.in_cols * sizes.channels;
    const float* from = gradient.data<float>();
    ParallelFor(batch, kGrain / (image + 1) + 1, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        Image(sizes, from + b * sizes.out_rows * sizes.out_cols * sizes.channels, sum + b * image);
      }
    });
    T* out = output->mutable_data<T>();
    for (int64_t i = 0; i < sums.num_elements(); ++i) out[i] = static_cast<T>(sum[i]);
    return OkStatus();
  }

  bool IsExpensive() const override { return true; }

 private:
  static void Image(const ResizeSizes& sizes, const float* from, double* sum) {
    for (int64_t row = 0; row < sizes.out_rows; ++row) {
      const Between y(sizes.rows, row, sizes.in_rows);
      for (int64_t col = 0; col < sizes.out_cols; ++col) {
        const Between x(sizes.cols, col, sizes.in_cols);
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

  ResizeSettings settings_;
};

#define REGISTER(T) \
  REGISTER_KERNEL(Kernel("ResizeBilinear").OnCpu().Type<T>("T"), ResizeBilinearOp<T>);
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
#define REGISTER(T) \
  REGISTER_KERNEL(Kernel("ResizeBilinearGrad").OnCpu().Type<T>("T"), ResizeBilinearGradOp<T>);
REGISTER(float)
REGISTER(double)
REGISTER(Half)
REGISTER(BFloat16)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
