// FusedBatchNorm and its gradient: each channel shifted and scaled to mean 0 and variance 1, and
// then by offset and scale. While training mean and variance are those of the batch.
#include <cmath>
#include <vector>

#include "base/parallel.h"
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/vector_target.h"
#include "kernels/nn/batch_norm_settings.h"
#include "kernels/nn/channel_sums.h"

namespace tfbuild {
namespace {

constexpr int64_t kFusedBatchNormGrain = 32768;  // elements that are worth a thread

Result<int64_t> ChannelsOf(ShapeContext* context, int input) {
  ASSIGN_OR_RETURN(const std::string format, context->Attr<std::string>("data_format"));
  ASSIGN_OR_RETURN(const PartialShape shape, context->WithRank(input, 4));
  return shape.dim(format == "NCHW" ? 1 : 3);
}

// Outputs: y, mean, variance, and what the gradient needs.
Status BatchNormShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const int64_t channels, ChannelsOf(context, 0));
  PartialShape vector{channels};
  for (int i = 1; i < 5; ++i) {
    ASSIGN_OR_RETURN(const bool training, context->Attr<bool>("is_training"));
    if (training && i > 2) continue;  // mean and variance are not read
    ASSIGN_OR_RETURN(const PartialShape given, context->WithRank(i, 1));
    ASSIGN_OR_RETURN(vector, vector.MergeWith(given));
  }
  ASSIGN_OR_RETURN(PartialShape shape, context->WithRank(0, 4));
  context->set_output(0, std::move(shape));
  for (int i = 1; i < 5; ++i) context->set_output(i, vector);
  if (context->num_outputs() > 5) context->set_output(5, std::vector<int64_t>{});
  return OkStatus();
}

Status BatchNormGradShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const int64_t channels, ChannelsOf(context, 1));
  ASSIGN_OR_RETURN(const PartialShape gradient, context->WithRank(0, 4));
  ASSIGN_OR_RETURN(PartialShape shape, context->input(1).MergeWith(gradient));
  context->set_output(0, std::move(shape));
  context->set_output(1, {channels});
  context->set_output(2, {channels});
  context->set_output(3, {0});
  context->set_output(4, {0});
  return OkStatus();
}

#define BATCH_NORM_ATTRS                                \
  .Attr("epsilon: float = 0.0001")                      \
  .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")       \
  .Attr("is_training: bool = true")
#define BATCH_NORM_INPUTS(U) \
  .Input("x: T").Input("scale: " U).Input("offset: " U).Input("mean: " U).Input("variance: " U)
#define BATCH_NORM_OUTPUTS(U)                                                                \
  .Output("y: T").Output("batch_mean: " U).Output("batch_variance: " U)                      \
  .Output("reserve_space_1: " U).Output("reserve_space_2: " U)
#define BATCH_NORM_GRAD_OUTPUTS(U)                                                           \
  .Output("x_backprop: T").Output("scale_backprop: " U).Output("offset_backprop: " U)        \
  .Output("reserve_space_3: " U).Output("reserve_space_4: " U)

REGISTER_OP("FusedBatchNorm") BATCH_NORM_INPUTS("T") BATCH_NORM_OUTPUTS("T")
    .Attr("T: {float}")
    BATCH_NORM_ATTRS.Attr("exponential_avg_factor: float = 1.0").ShapeFunction(BatchNormShape);
REGISTER_OP("FusedBatchNormV2") BATCH_NORM_INPUTS("U") BATCH_NORM_OUTPUTS("U")
    .Attr("T: {half, bfloat16, float}").Attr("U: {float}")
    BATCH_NORM_ATTRS.Attr("exponential_avg_factor: float = 1.0").ShapeFunction(BatchNormShape);
REGISTER_OP("FusedBatchNormV3") BATCH_NORM_INPUTS("U") BATCH_NORM_OUTPUTS("U")
    .Output("reserve_space_3: U")
    .Attr("T: {half, bfloat16, float}").Attr("U: {float}")
    BATCH_NORM_ATTRS.Attr("exponential_avg_factor: float = 1.0").ShapeFunction(BatchNormShape);

REGISTER_OP("FusedBatchNormGrad")
    .Input("y_backprop: T").Input("x: T").Input("scale: T")
    .Input("reserve_space_1: T").Input("reserve_space_2: T")
    BATCH_NORM_GRAD_OUTPUTS("T")
    .Attr("T: {float}") BATCH_NORM_ATTRS.ShapeFunction(BatchNormGradShape);
REGISTER_OP("FusedBatchNormGradV2")
    .Input("y_backprop: T").Input("x: T").Input("scale: float")
    .Input("reserve_space_1: U").Input("reserve_space_2: U")
    BATCH_NORM_GRAD_OUTPUTS("U")
    .Attr("T: {half, bfloat16, float}").Attr("U: {float}")
    BATCH_NORM_ATTRS.ShapeFunction(BatchNormGradShape);
REGISTER_OP("FusedBatchNormGradV3")
    .Input("y_backprop: T").Input("x: T").Input("scale: float")
    .Input("reserve_space_1: U").Input("reserve_space_2: U").Input("reserve_space_3: U")
    .Output("x_backprop: T").Output("scale_backprop: U").Output("offset_backprop: U")
    .Output("reserve_space_4: U").Output("reserve_space_5: U")
    .Attr("T: {half, bfloat16, float}").Attr("U: {float}")
    BATCH_NORM_ATTRS.ShapeFunction(BatchNormGradShape);

// ---- what is added up -------------------------------------------------------------------------

template <typename T>
struct ValueTerm {
  const T* x;
  TFBUILD_ALWAYS_INLINE float At(int64_t i, int64_t) const { return static_cast<float>(x[i]); }
};
template <typename T>
struct SquareTerm {
  const T* x;
  const float* mean;
  TFBUILD_ALWAYS_INLINE float At(int64_t i, int64_t c) const {
    const float difference = static_cast<float>(x[i]) - mean[c];
    return difference * difference;
  }
};
template <typename T>
struct ProductTerm {
  const T* gradient;
  const T* x;
  const float* mean;
  TFBUILD_ALWAYS_INLINE float At(int64_t i, int64_t c) const {
    return static_cast<float>(gradient[i]) * (static_cast<float>(x[i]) - mean[c]);
  }
};

// ---- each element -------------------------------------------------------------------------------

// out[i] = a[i] * factor[c] + b[i] * other[c] + addend[c].
// A run goes over the channels, or over one of them.
template <typename T, bool kHasOther, bool kOverChannels>
struct AffineLoop {
  template <int kVectorBytes>
  static TFBUILD_ALWAYS_INLINE void Run(const T* a, const float* factor, const T* b,
                                        const float* other, const float* addend, int64_t count,
                                        T* out) {
#pragma omp simd
    for (int64_t i = 0; i < count; ++i) {
      const int64_t c = kOverChannels ? i : 0;
      float value = static_cast<float>(a[i]) * factor[c] + addend[c];
      if (kHasOther) value += static_cast<float>(b[i]) * other[c];
      out[i] = T(value);
    }
  }
};

template <typename T, bool kHasOther, bool kOverChannels>
void AffineRuns(const BiasLayout& layout, const T* a, const float* factor, const T* b,
                const float* other, const float* addend, T* out) {
  const int64_t run = kOverChannels ? layout.channels : layout.inner;
  const int64_t runs = kOverChannels ? layout.outer : layout.outer * layout.channels;
  ParallelFor(runs, kFusedBatchNormGrain / std::max<int64_t>(run, 1) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const int64_t c = kOverChannels ? 0 : r % layout.channels;
      RunVectorised<AffineLoop<T, kHasOther, kOverChannels>>(
          a + r * run, factor + c, b + r * run, other + c, addend + c, run, out + r * run);
    }
  });
}

template <typename T, bool kHasOther>
void Affine(const BiasLayout& layout, const T* a, const float* factor, const T* b,
            const float* other, const float* addend, T* out) {
  if (layout.inner == 1) {
    AffineRuns<T, kHasOther, true>(layout, a, factor, b, other, addend, out);
  } else {
    AffineRuns<T, kHasOther, false>(layout, a, factor, b, other, addend, out);
  }
}

// ---- kernels ------------------------------------------------------------------------------------

template <typename T>
class FusedBatchNormOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    RETURN_IF_ERROR(settings_.Read(construction));
    ASSIGN_OR_RETURN(settings_.factor, construction.Attr<float>("exponential_avg_factor"));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& x = context->input(0);
    ASSIGN_OR_RETURN(const BiasLayout layout, settings_.LayoutOf(x.shape()));
    const bool reads_old = !settings_.training || settings_.factor != 1;
    for (int i = 1; i < (reads_old ? 5 : 3); ++i) {
      RETURN_IF_ERROR(CheckChannelVector(*context, i, layout.channels));
    }
    float* numbers[4];
    for (int i = 0; i < 4; ++i) {
      ASSIGN_OR_RETURN(Tensor * vector, context->AllocateOutput(i + 1, Shape{layout.channels}));
      numbers[i] = vector->mutable_data<float>();
    }
    if (context->num_outputs() > 5) context->SetOutput(5, Tensor::Scalar<float>(0));
    RETURN_IF_ERROR(settings_.training ? Measure(context, layout, numbers)
                                       : Take(context, layout, numbers));
    return Normalise(context, layout, numbers[2], numbers[3]);
  }

  bool IsExpensive() const override { return true; }

 private:
  // Mean and variance of the batch; what is kept for inference has the variance of the population.
  Status Measure(OpKernelContext* context, const BiasLayout& layout, float* const* out) const {
    const T* x = context->input(0).data<T>();
    const double count = static_cast<double>(layout.outer * layout.inner);
    std::vector<double> sums;
    RETURN_IF_ERROR(SumChannels(context, layout, ValueTerm<T>{x}, &sums));
    for (int64_t c = 0; c < layout.channels; ++c) {
      out[2][c] = static_cast<float>(sums[static_cast<size_t>(c)] / std::max(count, 1.0));
    }
    RETURN_IF_ERROR(SumChannels(context, layout, SquareTerm<T>{x, out[2]}, &sums));
    for (int64_t c = 0; c < layout.channels; ++c) {
      const double sum = sums[static_cast<size_t>(c)];
      out[3][c] = static_cast<float>(sum / std::max(count, 1.0));
      const float whole = static_cast<float>(sum / std::max(count - 1, 1.0));
      out[0][c] = Mixed(context, 3, c, count == 0 ? std::nanf("") : out[2][c]);
      out[1][c] = Mixed(context, 4, c, count == 0 ? std::nanf("") : whole);
    }
    return OkStatus();
  }

  float Mixed(OpKernelContext* context, int input, int64_t c, float value) const {
    if (settings_.factor == 1) return value;
    const float old = context->input(input).data<float>()[c];
    return (1 - settings_.factor) * old + settings_.factor * value;
  }

  static Status Take(OpKernelContext* context, const BiasLayout& layout, float* const* out) {
    for (int i = 0; i < 4; ++i) {
      const float* given = context->input(3 + i % 2).data<float>();
      std::copy(given, given + layout.channels, out[i]);
    }
    return OkStatus();
  }

  Status Normalise(OpKernelContext* context, const BiasLayout& layout, const float* mean,
                   const float* variance) const {
    const Tensor& x = context->input(0);
    const float* scale = context->input(1).data<float>();
    const float* offset = context->input(2).data<float>();
    std::vector<float> factor(static_cast<size_t>(layout.channels));
    std::vector<float> addend(factor.size());
    for (size_t c = 0; c < factor.size(); ++c) {
      const double root = std::sqrt(static_cast<double>(variance[c]) + settings_.epsilon);
      factor[c] = static_cast<float>(scale[c] / root);
      addend[c] = static_cast<float>(offset[c] - mean[c] * (scale[c] / root));
    }
    ASSIGN_OR_RETURN(Tensor * y, context->ForwardOrAllocateOutput({0}, 0, x.shape()));
    const T* in = x.data<T>();
    Affine<T, false>(layout, in, factor.data(), in, factor.data(), addend.data(),
                     y->mutable_data<T>());
    return OkStatus();
  }

  BatchNormSettings settings_;
};

template <typename T>
class FusedBatchNormGradOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    return settings_.Read(construction);
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& gradient = context->input(0);
    const Tensor& x = context->input(1);
    ASSIGN_OR_RETURN(const BiasLayout layout, settings_.LayoutOfGradient(*context));
    const float* mean = context->input(3).data<float>();
    std::vector<double> sums, products;
    const ValueTerm<T> value{gradient.data<T>()};
    const ProductTerm<T> product{gradient.data<T>(), x.data<T>(), mean};
    RETURN_IF_ERROR(SumChannels(context, layout, value, &sums));
    RETURN_IF_ERROR(SumChannels(context, layout, product, &products));
    RETURN_IF_ERROR(context->AllocateOutput(3, Shape{0}).status());
    RETURN_IF_ERROR(context->AllocateOutput(4, Shape{0}).status());
    return Combine(context, layout, sums, products);
  }

  bool IsExpensive() const override { return true; }

 private:
  Status Combine(OpKernelContext* context, const BiasLayout& layout,
                 const std::vector<double>& sums, const std::vector<double>& products) const {
    const float* scale = context->input(2).data<float>();
    const float* mean = context->input(3).data<float>();
    const float* variance = context->input(4).data<float>();
    ASSIGN_OR_RETURN(Tensor * by_scale, context->AllocateOutput(1, Shape{layout.channels}));
    ASSIGN_OR_RETURN(Tensor * by_offset, context->AllocateOutput(2, Shape{layout.channels}));
    const double count = std::max(static_cast<double>(layout.outer * layout.inner), 1.0);
    std::vector<float> factor(sums.size()), other(sums.size()), addend(sums.size());
    for (size_t c = 0; c < sums.size(); ++c) {
      const double root = 1 / std::sqrt(static_cast<double>(variance[c]) + settings_.epsilon);
      by_scale->mutable_data<float>()[c] = static_cast<float>(products[c] * root);
      by_offset->mutable_data<float>()[c] = static_cast<float>(sums[c]);
      factor[c] = static_cast<float>(scale[c] * root);
      if (!settings_.training) continue;  // mean and variance do not hang on x
      const double share = scale[c] * root * root * root * products[c] / count;
      other[c] = static_cast<float>(-share);
      addend[c] = static_cast<float>(share * mean[c] - scale[c] * root * sums[c] / count);
    }
    ASSIGN_OR_RETURN(Tensor * by_x,
                     context->ForwardOrAllocateOutput({0}, 0, context->input(1).shape()));
    Affine<T, true>(layout, context->input(0).data<T>(), factor.data(),
                    context->input(1).data<T>(), other.data(), addend.data(),
                    by_x->mutable_data<T>());
    return OkStatus();
  }

  BatchNormSettings settings_;
};

REGISTER_KERNEL(Kernel("FusedBatchNorm").OnCpu().Type<float>("T"), FusedBatchNormOp<float>);
REGISTER_KERNEL(Kernel("FusedBatchNormGrad").OnCpu().Type<float>("T"), FusedBatchNormGradOp<float>);
#define REGISTER(T)                                                                         \
  REGISTER_KERNEL(Kernel("FusedBatchNormV2").OnCpu().Type<T>("T"), FusedBatchNormOp<T>);     \
  REGISTER_KERNEL(Kernel("FusedBatchNormV3").OnCpu().Type<T>("T"), FusedBatchNormOp<T>);     \
  REGISTER_KERNEL(Kernel("FusedBatchNormGradV2").OnCpu().Type<T>("T"), FusedBatchNormGradOp<T>); \
  REGISTER_KERNEL(Kernel("FusedBatchNormGradV3").OnCpu().Type<T>("T"), FusedBatchNormGradOp<T>);
REGISTER(float)
REGISTER(Half)
REGISTER(BFloat16)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
