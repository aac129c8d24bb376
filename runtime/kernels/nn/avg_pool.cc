// AvgPool and AvgPoolGrad over rows and columns; padding does not count.
#include "graph/shape_context.h"
#include "kernels/framework/convert.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/nn/pool_loops.h"

namespace tfbuild {
namespace {

Status AvgPoolShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const Sliding sliding, ReadPoolAttrs(*context, false));
  ASSIGN_OR_RETURN(const PartialShape input, context->WithRank(0, 4));
  ASSIGN_OR_RETURN(PartialShape output, InferPoolShape(sliding, input));
  context->set_output(0, std::move(output));
  return OkStatus();
}

Status AvgPoolGradShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(PartialShape shape, context->input_as_shape(0));
  if (!shape.known_rank()) shape = PartialShape::UnknownOfRank(4);
  if (shape.rank() != 4) return InvalidArgument("orig_input_shape must have 4 numbers");
  context->set_output(0, std::move(shape));
  return OkStatus();
}

REGISTER_OP("AvgPool")
    .Input("value: T")
    .Output("output: T")
    .Attr("ksize: list(int) >= 4")
    .Attr("strides: list(int) >= 4")
    .Attr("padding: {'SAME', 'VALID'}")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr("T: {half, bfloat16, float, double}")
    .ShapeFunction(AvgPoolShape);

REGISTER_OP("AvgPoolGrad")
    .Input("orig_input_shape: int32")
    .Input("grad: T")
    .Output("output: T")
    .Attr("ksize: list(int) >= 4")
    .Attr("strides: list(int) >= 4")
    .Attr("padding: {'SAME', 'VALID'}")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr("T: {half, bfloat16, float, double}")
    .ShapeFunction(AvgPoolGradShape);

template <typename T>
class AvgPoolOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(sliding_, ReadPoolAttrs(construction, false));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    using C = ComputeTypeOf<T>;
    const Tensor& input = context->input(0);
    ASSIGN_OR_RETURN(const PoolDimensions dims, MakePoolDimensions(sliding_, input.shape()));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, dims.output_shape()));
    if (output->num_elements() == 0) return OkStatus();
    const PoolWindows windows(dims);
    const T* in = input.data<T>();
    T* out = output->mutable_data<T>();
    windows.ForEach([&windows, in, out](const PoolWindows::Place& place) {
      C sum[PoolWindows::kBlock];
      std::fill_n(sum, place.count, C(0));
      ForEachPixel(windows, place, [&](int64_t pixel) {
        for (int64_t c = 0; c < place.count; ++c) sum[c] += static_cast<C>(in[pixel + c]);
      });
      const C factor = C(1) / static_cast<C>(std::max<int64_t>(place.covered(), 1));
      for (int64_t c = 0; c < place.count; ++c) out[place.output + c] = T(sum[c] * factor);
    });
    return OkStatus();
  }

  bool IsExpensive() const override { return true; }

 private:
  Sliding sliding_;
};

template <typename T>
class AvgPoolGradOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(sliding_, ReadPoolAttrs(construction, false));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    using C = ComputeTypeOf<T>;
    const Tensor& gradient = context->input(1);
    ASSIGN_OR_RETURN(std::vector<int64_t> sizes, context->input(0).IntValues());
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make(std::move(sizes)));
    ASSIGN_OR_RETURN(const PoolDimensions dims, MakePoolDimensions(sliding_, shape));
    if (gradient.shape() != dims.output_shape()) {
      return InvalidArgument("grad has shape ", gradient.shape(), " but the pooled shape is ",
                             dims.output_shape());
    }
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    // Sums of several gradients, in the type of the arithmetic.
    Tensor sums = *output;
    if (!std::is_same_v<T, C>) {
      ASSIGN_OR_RETURN(sums, context->AllocateTemp(DTypeOf<C>::value, shape));
    }
    std::fill_n(sums.mutable_data<C>(), shape.num_elements(), C(0));
    if (gradient.num_elements() > 0) {
      Scatter(PoolWindows(dims), gradient.data<T>(), sums.mutable_data<C>());
    }
    if (!std::is_same_v<T, C>) {
      ConvertElements(sums.data<C>(), shape.num_elements(), output->mutable_data<T>());
    }
    return OkStatus();
  }

  bool IsExpensive() const override { return true; }

 private:
  // Each gradient is shared by the inputs of its window.
  template <typename C>
  static void Scatter(const PoolWindows& windows, const T* gradient, C* sums) {
    windows.ForEach([&windows, gradient, sums](const PoolWindows::Place& place) {
      const C factor = C(1) / static_cast<C>(std::max<int64_t>(place.covered(), 1));
      C share[PoolWindows::kBlock];
      for (int64_t c = 0; c < place.count; ++c) {
        share[c] = static_cast<C>(gradient[place.output + c]) * factor;
      }
      ForEachPixel(windows, place, [&](int64_t pixel) {
        for (int64_t c = 0; c < place.count; ++c) sums[pixel + c] += share[c];
      });
    });
  }

  Sliding sliding_;
};

#define REGISTER(T)                                                      \
  REGISTER_KERNEL(Kernel("AvgPool").OnCpu().Type<T>("T"), AvgPoolOp<T>); \
  REGISTER_KERNEL(Kernel("AvgPoolGrad").OnCpu().Type<T>("T"), AvgPoolGradOp<T>);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
