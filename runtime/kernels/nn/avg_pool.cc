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

template <typename C>
TFBUILD_ALWAYS_INLINE C ShareOfOne(const PoolWindows::Place& place) {
  return C(1) / static_cast<C>(std::max<int64_t>(place.covered(), 1));
}

template <typename T>
struct AvgPoolLoop {
  using C = ComputeTypeOf<T>;

  template <int kVectorBytes>
  static TFBUILD_ALWAYS_INLINE void Run(const PoolWindows* windows, const PoolWindows::Place* row,
                                        const T* in, T* out) {
    windows->ForEachWindow(*row, [&](const PoolWindows::Place& place) TFBUILD_INLINE_BODY {
      const C factor = ShareOfOne<C>(place);
      ForEachVector<kVectorBytes / sizeof(C)>(
          place.count, [&](int64_t channel, auto lanes) TFBUILD_INLINE_BODY {
            constexpr int kLanes = lanes;
            C sum[kLanes];
            for (int j = 0; j < kLanes; ++j) sum[j] = 0;
            ForEachPixel(*windows, place, [&](int64_t pixel) TFBUILD_INLINE_BODY {
              const T* from = in + pixel + channel;
#pragma omp simd
              for (int j = 0; j < kLanes; ++j) sum[j] += static_cast<C>(from[j]);
            });
            T* to = out + place.output + channel;
            for (int j = 0; j < kLanes; ++j) to[j] = T(sum[j] * factor);
          });
    });
  }
};

// Each gradient is shared by the inputs of its window. kTiles: nothing is there yet to be added to.
template <typename T, bool kTiles>
struct AvgPoolGradLoop {
  using C = ComputeTypeOf<T>;

  template <int kVectorBytes>
  static TFBUILD_ALWAYS_INLINE void Run(const PoolWindows* windows, const PoolWindows::Place* row,
                                        const T* gradient, C* sums) {
    windows->ForEachWindow(*row, [&](const PoolWindows::Place& place) TFBUILD_INLINE_BODY {
      const C factor = ShareOfOne<C>(place);
      ForEachVector<kVectorBytes / sizeof(C)>(
          place.count, [&](int64_t channel, auto lanes) TFBUILD_INLINE_BODY {
            constexpr int kLanes = lanes;
            const T* from = gradient + place.output + channel;
            C share[kLanes];
            for (int j = 0; j < kLanes; ++j) share[j] = static_cast<C>(from[j]) * factor;
            ForEachPixel(*windows, place, [&](int64_t pixel) TFBUILD_INLINE_BODY {
              C* to = sums + pixel + channel;
#pragma omp simd
              for (int j = 0; j < kLanes; ++j) to[j] = kTiles ? share[j] : to[j] + share[j];
            });
          });
    });
  }
};

template <typename T>
class AvgPoolOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(sliding_, ReadPoolAttrs(construction, false));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    ASSIGN_OR_RETURN(const PoolDimensions dims, MakePoolDimensions(sliding_, input.shape()));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, dims.output_shape()));
    if (output->num_elements() == 0) return OkStatus();
    const PoolWindows windows(dims);
    const T* in = input.data<T>();
    T* out = output->mutable_data<T>();
    windows.ForEach([&windows, in, out](const PoolWindows::Place& place) {
      RunVectorised<AvgPoolLoop<T>, T>(&windows, &place, in, out);
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
    const PoolWindows windows(dims);
    const T* from = gradient.data<T>();
    C* to = sums.mutable_data<C>();
    const bool tiles = windows.AreTiles();
    windows.ForEachInto(to, [&windows, tiles, from, to](const PoolWindows::Place& place) {
      if (tiles) return RunVectorised<AvgPoolGradLoop<T, true>, T>(&windows, &place, from, to);
      RunVectorised<AvgPoolGradLoop<T, false>, T>(&windows, &place, from, to);
    });
    if (!std::is_same_v<T, C>) {
      ConvertElements(sums.data<C>(), shape.num_elements(), output->mutable_data<T>());
    }
    return OkStatus();
  }

  bool IsExpensive() const override { return true; }

 private:
  Sliding sliding_;
};

#define REGISTER(T)                                                      \
  REGISTER_KERNEL(Kernel("AvgPool").OnCpu().Type<T>("T"), AvgPoolOp<T>); \
  REGISTER_KERNEL(Kernel("AvgPoolGrad").OnCpu().Type<T>("T"), AvgPoolGradOp<T>);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
