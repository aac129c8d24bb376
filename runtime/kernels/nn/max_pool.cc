// MaxPool and MaxPoolGrad over rows and columns.
#include <limits>

#include "graph/shape_context.h"
#include "kernels/framework/convert.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/nn/pool_loops.h"

namespace tfbuild {
namespace {

Status MaxPoolShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const Sliding sliding, ReadPoolAttrs(*context, true));
  ASSIGN_OR_RETURN(const PartialShape input, context->WithRank(0, 4));
  ASSIGN_OR_RETURN(PartialShape output, InferPoolShape(sliding, input));
  context->set_output(0, std::move(output));
  return OkStatus();
}

REGISTER_OP("MaxPool")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8} = DT_FLOAT")
    .Attr("ksize: list(int) >= 4")
    .Attr("strides: list(int) >= 4")
    .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
    .Attr("explicit_paddings: list(int) = []")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .ShapeFunction(MaxPoolShape);

REGISTER_OP("MaxPoolGrad")
    .Input("orig_input: T")
    .Input("orig_output: T")
    .Input("grad: T")
    .Output("output: T")
    .Attr("ksize: list(int) >= 4")
    .Attr("strides: list(int) >= 4")
    .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
    .Attr("explicit_paddings: list(int) = []")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, half} = DT_FLOAT")
    .ShapeFunction(UnchangedShape);

template <typename C>
constexpr C Lowest() {
  return std::numeric_limits<C>::has_infinity ? -std::numeric_limits<C>::infinity()
                                              : std::numeric_limits<C>::lowest();
}

template <typename T>
class MaxPoolOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(sliding_, ReadPoolAttrs(construction, true));
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
      C best[PoolWindows::kBlock];
      std::fill_n(best, place.count, Lowest<C>());
      ForEachPixel(windows, place, [&](int64_t pixel) {
        for (int64_t c = 0; c < place.count; ++c) {
          const C value = static_cast<C>(in[pixel + c]);
          best[c] = best[c] > value ? best[c] : value;
        }
      });
      for (int64_t c = 0; c < place.count; ++c) out[place.output + c] = T(best[c]);
    });
    return OkStatus();
  }

  bool IsExpensive() const override { return true; }

 private:
  Sliding sliding_;
};

template <typename T>
class MaxPoolGradOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(sliding_, ReadPoolAttrs(construction, true));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    const Tensor& gradient = context->input(2);
    ASSIGN_OR_RETURN(const PoolDimensions dims, MakePoolDimensions(sliding_, input.shape()));
    for (const int i : {1, 2}) {
      if (context->input(i).shape() == dims.output_shape()) continue;
      return InvalidArgument(i == 1 ? "orig_output" : "grad", " has shape ",
                             context->input(i).shape(), " but the pooled shape is ",
                             dims.output_shape());
    }
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, input.shape()));
    // Sums of several gradients, in the type of the arithmetic.
    Tensor sums = *output;
    if (!std::is_same_v<T, C>) {
      ASSIGN_OR_RETURN(sums, context->AllocateTemp(DTypeOf<C>::value, input.shape()));
    }
    std::fill_n(sums.mutable_data<C>(), input.num_elements(), C(0));
    if (gradient.num_elements() > 0) {
      Scatter(PoolWindows(dims), input.data<T>(), gradient.data<T>(), sums.mutable_data<C>());
    }
    if (!std::is_same_v<T, C>) {
      ConvertElements(sums.data<C>(), input.num_elements(), output->mutable_data<T>());
    }
    return OkStatus();
  }

  bool IsExpensive() const override { return true; }

 private:
  using C = ComputeTypeOf<T>;

  // Each gradient goes to the first of the largest inputs of its window.
  static void Scatter(const PoolWindows& windows, const T* in, const T* gradient, C* sums) {
    windows.ForEach([&windows, in, gradient, sums](const PoolWindows::Place& place) {
      C best[PoolWindows::kBlock];
      int64_t where[PoolWindows::kBlock];
      if (place.covered() == 0) return;
      const int64_t first = place.input + windows.Pixel(place.row_begin, place.col_begin);
      for (int64_t c = 0; c < place.count; ++c) {
        best[c] = static_cast<C>(in[first + c]);
        where[c] = first;
      }
      ForEachPixel(windows, place, [&](int64_t pixel) {
        for (int64_t c = 0; c < place.count; ++c) {
          const C value = static_cast<C>(in[pixel + c]);
          where[c] = value > best[c] ? pixel : where[c];
          best[c] = value > best[c] ? value : best[c];
        }
      });
      for (int64_t c = 0; c < place.count; ++c) {
        sums[where[c] + c] += static_cast<C>(gradient[place.output + c]);
      }
    });
  }

  Sliding sliding_;
};

#define REGISTER(T)                                                      \
  REGISTER_KERNEL(Kernel("MaxPool").OnCpu().Type<T>("T"), MaxPoolOp<T>); \
  REGISTER_KERNEL(Kernel("MaxPoolGrad").OnCpu().Type<T>("T"), MaxPoolGradOp<T>);
TFBUILD_ARITHMETIC_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
