// Conv3D and its gradients with respect to the input and the filter.
#include <type_traits>

#include "base/parallel.h"
#include "graph/shape_context.h"
#include "kernels/framework/convert.h"
#include "kernels/framework/gemm.h"
#include "kernels/nn/volume_convolution.h"

namespace tfbuild {
namespace {

// The shape that an input holds as a value; of rank 5.
Status Conv3DShapeFromSizes(ShapeContext* context, int sizes) {
  RETURN_IF_ERROR(ReadVolumeAttrs(*context, false).status());
  ASSIGN_OR_RETURN(PartialShape shape, context->input_as_shape(sizes));
  if (shape.rank() != 5) shape = PartialShape::UnknownOfRank(5);
  context->set_output(0, std::move(shape));
  return OkStatus();
}

#define TFBUILD_CONV3D_ATTRS()                            \
  Attr("T: {half, bfloat16, float, double}")              \
      .Attr("strides: list(int) >= 5")                    \
      .Attr("padding: {'SAME', 'VALID'}")                 \
      .Attr("data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'")  \
      .Attr("dilations: list(int) = [1, 1, 1, 1, 1]")

REGISTER_OP("Conv3D")
    .Input("input: T")
    .Input("filter: T")
    .Output("output: T")
    .TFBUILD_CONV3D_ATTRS()
    .ShapeFunction([](ShapeContext* context) -> Status {
      ASSIGN_OR_RETURN(const VolumeSliding sliding, ReadVolumeAttrs(*context, false));
      ASSIGN_OR_RETURN(const PartialShape input, context->WithRank(0, 5));
      ASSIGN_OR_RETURN(const PartialShape filter, context->WithRank(1, 5));
      ASSIGN_OR_RETURN(PartialShape output, InferVolumeShape(sliding, input, &filter));
      context->set_output(0, std::move(output));
      return OkStatus();
    });

REGISTER_OP("Conv3DBackpropInputV2")
    .Input("input_sizes: Tshape")
    .Input("filter: T")
    .Input("out_backprop: T")
    .Output("output: T")
    .TFBUILD_CONV3D_ATTRS()
    .Attr("Tshape: {int32, int64} = DT_INT32")
    .ShapeFunction([](ShapeContext* context) { return Conv3DShapeFromSizes(context, 0); });

REGISTER_OP("Conv3DBackpropFilterV2")
    .Input("input: T")
    .Input("filter_sizes: int32")
    .Input("out_backprop: T")
    .Output("output: T")
    .TFBUILD_CONV3D_ATTRS()
    .ShapeFunction([](ShapeContext* context) { return Conv3DShapeFromSizes(context, 1); });

// The first place in the input that the filter sees from that pixel, by depth, row and column; it may be
// outside.
struct Corner {
  int64_t volume;  // where its volume begins, in pixels
  std::array<int64_t, 3> at;
};
Corner CornerOf(const VolumeDimensions& dims, int64_t pixel) {
  Corner corner{};
  for (size_t i = 3; i-- > 0;) {
    const Window& window = dims.windows[i];
    corner.at[i] = pixel % window.output * window.stride - window.pad_before;
    pixel /= window.output;
  }
  corner.volume = pixel * dims.input_pixels();
  return corner;
}

// Calls inside(place of the filter, pixel of the input) for each place, or outside(place).
template <typename Inside, typename Outside>
void ForEachPlace(const VolumeDimensions& dims, const Corner& corner, const Inside& inside,
                  const Outside& outside) {
  const auto& [depth, rows, cols] = dims.windows;
  int64_t place = 0;
  for (int64_t i = 0; i < depth.filter; ++i) {
    const int64_t z = corner.at[0] + i * depth.dilation;
    for (int64_t j = 0; j < rows.filter; ++j) {
      const int64_t y = corner.at[1] + j * rows.dilation;
      const bool seen = z >= 0 && z < depth.input && y >= 0 && y < rows.input;
      const int64_t line = corner.volume + (z * rows.input + y) * cols.input;
      for (int64_t k = 0; k < cols.filter; ++k, ++place) {
        const int64_t x = corner.at[2] + k * cols.dilation;
        if (seen && x >= 0 && x < cols.input) {
          inside(place, line + x);
        } else {
          outside(place);
        }
      }
    }
  }
}

// T is float or double.
template <typename T>
class CpuVolumeSteps final : public VolumeSteps {
 public:
  CpuVolumeSteps(OpKernelContext* context, MatrixProduct* product)
      : context_(context), product_(product) {}

  int64_t MostColumns() const override { return 1 << 20; }  // as much as a cache may hold

  Status TakeColumns(const VolumeDimensions& dims, Pixels pixels, const void* input,
                     void* columns) override {
    const int64_t channels = dims.in_channels;
    const int64_t width = dims.places() * channels;
    const T* const from = static_cast<const T*>(input);
    ParallelFor(pixels.count, kGrain / width + 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        T* const row = static_cast<T*>(columns) + i * width;
        ForEachPlace(
            dims, CornerOf(dims, pixels.first + i),
            [&](int64_t place, int64_t pixel) {
              std::copy_n(from + pixel * channels, channels, row + place * channels);
            },
            [&](int64_t place) { std::fill_n(row + place * channels, channels, T(0)); });
      }
    });
    return OkStatus();
  }

  // Threads share out the channels: several pixels add to one element.
  Status AddColumns(const VolumeDimensions& dims, Pixels pixels, const void* columns,
                    void* input) override {
    const int64_t channels = dims.in_channels;
    const int64_t width = dims.places() * channels;
    const int64_t grain = std::max<int64_t>(16, kGrain / (pixels.count * dims.places()) + 1);
    ParallelFor(channels, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = 0; i < pixels.count; ++i) {
        const T* const row = static_cast<const T*>(columns) + i * width;
        ForEachPlace(
            dims, CornerOf(dims, pixels.first + i),
            [&](int64_t place, int64_t pixel) {
              const T* const from = row + place * channels;
              T* const to = static_cast<T*>(input) + pixel * channels;
              for (int64_t c = begin; c < end; ++c) to[c] += from[c];
            },
            [](int64_t) {});
      }
    });
    return OkStatus();
  }

  Status Multiply(const MatMulSizes& sizes, const void* a, const void* b, void* c) override {
    return product_->Run(context_, sizes, static_cast<const T*>(a), static_cast<const T*>(b),
                         static_cast<T*>(c));
  }

  Status Add(const void* from, int64_t count, void* to) override {
    ParallelFor(count, kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) static_cast<T*>(to)[i] += static_cast<const T*>(from)[i];
    });
    return OkStatus();
  }

 private:
  static constexpr int64_t kGrain = 16384;  // elements that are worth a thread

  OpKernelContext* context_;
  MatrixProduct* product_;
};

template <typename T, ConvPass pass>
class Conv3DOp final : public VolumeConvolutionOp {
 public:
  Conv3DOp() : VolumeConvolutionOp(pass) {}

 private:
  using W = std::conditional_t<std::is_same_v<T, double>, double, float>;

  Status Run(OpKernelContext* context, const VolumeDimensions& dims, const Tensor& first,
             const Tensor& second, Tensor* result) override {
    CpuVolumeSteps<W> steps(context, &product_);
    if constexpr (std::is_same_v<T, W>) {
      return RunVolumeConvolution(context, &steps, pass, dims, first, second, result);
    } else {
      // Numbers of two bytes are added up in float.
      Tensor wide[3];
      const Tensor* const narrow[3] = {&first, &second, result};
      for (int i = 0; i < 3; ++i) {
        ASSIGN_OR_RETURN(wide[i], context->AllocateTemp(DType::kFloat, narrow[i]->shape()));
      }
      ConvertElements(first.data<T>(), first.num_elements(), wide[0].mutable_data<float>());
      ConvertElements(second.data<T>(), second.num_elements(), wide[1].mutable_data<float>());
      RETURN_IF_ERROR(
          RunVolumeConvolution(context, &steps, pass, dims, wide[0], wide[1], &wide[2]));
      ConvertElements(wide[2].data<float>(), result->num_elements(), result->mutable_data<T>());
      return OkStatus();
    }
  }

  MatrixProduct product_;
};

#define REGISTER(T)                                                                       \
  REGISTER_KERNEL(Kernel("Conv3D").OnCpu().Type<T>("T"), Conv3DOp<T, ConvPass::kForward>); \
  REGISTER_KERNEL(Kernel("Conv3DBackpropInputV2").OnCpu().Type<T>("T"),                   \
                  Conv3DOp<T, ConvPass::kInput>);                                         \
  REGISTER_KERNEL(Kernel("Conv3DBackpropFilterV2").OnCpu().Type<T>("T"),                  \
                  Conv3DOp<T, ConvPass::kFilter>);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
