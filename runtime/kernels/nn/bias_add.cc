// BiasAdd and BiasAddGrad: a number added to each channel, and the sum over each channel.
#include <algorithm>

#include "base/parallel.h"
#include "graph/shape_context.h"
#include "kernels/framework/broadcast.h"
#include "kernels/framework/elementwise.h"
#include "kernels/nn/bias_layout.h"

namespace tfbuild {
namespace {

constexpr int64_t kSumGrain = 32768;  // elements that are worth a thread

// The channels' dimension, merged with the bias's when that is known.
Status BiasAddShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const PartialShape bias, context->WithRank(1, 1));
  RETURN_IF_ERROR(context->WithRankAtLeast(0, 2));
  ASSIGN_OR_RETURN(const std::string format, context->Attr<std::string>("data_format"));
  const PartialShape& value = context->input(0);
  if (!value.known_rank()) return OkStatus();
  std::vector<int64_t> like_bias(static_cast<size_t>(value.rank()), kUnknownDim);
  like_bias[format == "NCHW" ? 1 : like_bias.size() - 1] = bias.dim(0);
  ASSIGN_OR_RETURN(PartialShape output, value.MergeWith(PartialShape(std::move(like_bias))));
  context->set_output(0, std::move(output));
  return OkStatus();
}

Status BiasAddGradShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRankAtLeast(0, 2));
  ASSIGN_OR_RETURN(const std::string format, context->Attr<std::string>("data_format"));
  const PartialShape& gradient = context->input(0);
  const int64_t channels = !gradient.known_rank() ? kUnknownDim
                           : gradient.dim(format == "NCHW" ? 1 : gradient.rank() - 1);
  context->set_output(0, {channels});
  return OkStatus();
}

REGISTER_OP("BiasAdd")
    .Input("value: T")
    .Input("bias: T")
    .Output("output: T")
    .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, half, "
          "uint16, uint32, uint64}")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .ShapeFunction(BiasAddShape);

REGISTER_OP("BiasAddGrad")
    .Input("out_backprop: T")
    .Output("output: T")
    .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, half, "
          "uint16, uint32, uint64}")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .ShapeFunction(BiasAddGradShape);

Result<DataFormat> FormatOf(const OpKernelConstruction& construction) {
  ASSIGN_OR_RETURN(const std::string text, construction.Attr<std::string>("data_format"));
  return ParseDataFormat(text);
}

template <typename T>
class BiasAddOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(format_, FormatOf(construction));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    const Shape& value = context->input(0).shape();
    ASSIGN_OR_RETURN(const BiasLayout layout,
                     MakeBiasLayout(format_, value, context->input(1).shape()));
    ASSIGN_OR_RETURN(Tensor * output, context->ForwardOrAllocateOutput({0}, 0, value));
    const Shape planes{layout.outer, layout.channels, layout.inner};
    const Shape of_channel{layout.channels, 1};
    ASSIGN_OR_RETURN(const BroadcastPlan plan, PlanBroadcast({&planes, &of_channel}));
    return RunBroadcast(context, plan, RunBinary<functor::Add, T>, kCheapGrain, output);
  }

 private:
  DataFormat format_ = DataFormat::kNHWC;
};

template <typename T>
class BiasAddGradOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(format_, FormatOf(construction));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& gradient = context->input(0);
    ASSIGN_OR_RETURN(const BiasLayout layout, MakeBiasLayout(format_, gradient.shape()));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, Shape{layout.channels}));
    if (layout.inner == 1) return SumRows(context, gradient.data<T>(), layout, output);
    SumPlanes(gradient.data<T>(), layout, output->mutable_data<T>());
    return OkStatus();
  }

 private:
  using Sum = ComputeTypeOf<T>;

  // Each thread adds up some columns, so that the order of the additions does not depend on the
  // number of threads.
  static Status SumRows(OpKernelContext* context, const T* in, const BiasLayout& layout,
                        Tensor* output) {
    const int64_t channels = layout.channels;
    const int64_t rows = layout.outer;
    ASSIGN_OR_RETURN(Tensor sums, context->AllocateTemp(DTypeOf<Sum>::value, Shape{channels}));
    Sum* sum = sums.mutable_data<Sum>();
    T* out = output->mutable_data<T>();
    // At least a cache line of columns for each thread.
    const int64_t grain = std::max<int64_t>(16, kSumGrain / std::max<int64_t>(rows, 1));
    ParallelFor(channels, grain, [=](int64_t begin, int64_t end) {
      std::fill(sum + begin, sum + end, Sum(0));
      for (int64_t row = 0; row < rows; ++row) {
        const T* from = in + row * channels;
        for (int64_t c = begin; c < end; ++c) sum[c] = functor::Add::Apply<Sum>(sum[c], from[c]);
      }
      for (int64_t c = begin; c < end; ++c) out[c] = T(sum[c]);
    });
    return OkStatus();
  }

  static void SumPlanes(const T* in, const BiasLayout& layout, T* out) {
    const int64_t inner = layout.inner;
    const int64_t channels = layout.channels;
    const int64_t work = layout.outer * inner;
    ParallelFor(channels, kSumGrain / std::max<int64_t>(work, 1) + 1, [=](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c) {
        Sum total(0);
        for (int64_t outer = 0; outer < layout.outer; ++outer) {
          const T* from = in + (outer * channels + c) * inner;
          Sum sum(0);  // of one plane: fewer roundings than one running sum
          for (int64_t i = 0; i < inner; ++i) sum = functor::Add::Apply<Sum>(sum, from[i]);
          total = functor::Add::Apply(total, sum);
        }
        out[c] = T(total);
      }
    });
  }

  DataFormat format_ = DataFormat::kNHWC;
};

#define REGISTER(T)                                                      \
  REGISTER_KERNEL(Kernel("BiasAdd").OnCpu().Type<T>("T"), BiasAddOp<SignedOf<T>>); \
  REGISTER_KERNEL(Kernel("BiasAddGrad").OnCpu().Type<T>("T"), BiasAddGradOp<SignedOf<T>>);
TFBUILD_ARITHMETIC_TYPES(REGISTER)
TFBUILD_UNSIGNED_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
