// FusedBatchNorm and its gradient on a GPU: sums over each channel, the numbers of each channel made
// of them, and then each element. The order of the additions depends on nothing but the shape.
#include "kernels/framework/cuda_group.cuh"
#include "kernels/framework/strided_copy.h"
#include "kernels/nn/batch_norm_settings.h"

namespace tfbuild {
namespace {

constexpr int kColumns = 32;
constexpr int kRows = kThreads / kColumns;
constexpr int64_t kRun = 64;            // terms that are added up in float before they go on in double
constexpr int64_t kEnoughBlocks = 512;  // that fill any GPU
constexpr int64_t kMinSplit = 512;      // terms of a channel that are worth a block

// What element i, of channel c, adds to the sums of its channel.
template <typename T>
struct ValueTerm {
  static constexpr int kSums = 1;
  const T* x;
  __device__ void At(int64_t i, int64_t, float* terms) const { terms[0] = Widen(x[i]); }
};
template <typename T>
struct SquareTerm {
  static constexpr int kSums = 1;
  const T* x;
  const float* mean;
  __device__ void At(int64_t i, int64_t c, float* terms) const {
    const float difference = static_cast<float>(Widen(x[i])) - mean[c];
    terms[0] = difference * difference;
  }
};
template <typename T>
struct GradientTerms {
  static constexpr int kSums = 2;
  const T* gradient;
  const T* x;
  const float* mean;
  __device__ void At(int64_t i, int64_t c, float* terms) const {
    terms[0] = Widen(gradient[i]);
    terms[1] = terms[0] * (static_cast<float>(Widen(x[i])) - mean[c]);
  }
};

// The terms of one channel, [outer, inner] of them, in `splits` parts.
struct Channels {
  int64_t channels;
  int64_t count;
  int64_t split;
  Divider inner;

  __device__ int64_t begin() const { return blockIdx.y * split; }
  __device__ int64_t end() const { return min(count, begin() + split); }
  // Where term e of channel c lies.
  __device__ int64_t Place(int64_t e, int64_t c) const {
    const int64_t outer = inner.Split(&e);
    return (outer * channels + c) * inner.size + e;
  }
};

template <typename Terms>
__device__ void AddTerms(const Terms& terms, const Channels& plan, int64_t c, int64_t first,
                         int step, double* sums) {
  constexpr int kSums = Terms::kSums;
  const int64_t end = plan.end();
  for (int64_t e = first; e < end;) {
    const int64_t stop = min(end, e + kRun * step);
    float part[kSums] = {};
    for (; e < stop; e += step) {
      float found[kSums];
      terms.At(plan.Place(e, c), c, found);
#pragma unroll
      for (int k = 0; k < kSums; ++k) part[k] += found[k];
    }
#pragma unroll
    for (int k = 0; k < kSums; ++k) sums[k] += static_cast<double>(part[k]);
  }
}

// Neighbouring threads for neighbouring channels, which lie side by side in memory; the rows of the
// block share the terms. partial is [splits, kSums, channels].
template <typename Terms>
__global__ void SumColumnsKernel(Terms terms, Channels plan, double* partial) {
  constexpr int kSums = Terms::kSums;
  __shared__ double shared[kRows][kColumns];
  for (int64_t first = int64_t{blockIdx.x} * kColumns; first < plan.channels;
       first += int64_t{gridDim.x} * kColumns) {
    const int64_t c = first + threadIdx.x;
    double sums[kSums] = {};
    if (c < plan.channels) AddTerms(terms, plan, c, plan.begin() + threadIdx.y, kRows, sums);
    for (int k = 0; k < kSums; ++k) {
      shared[threadIdx.y][threadIdx.x] = sums[k];
      __syncthreads();
      if (threadIdx.y == 0 && c < plan.channels) {
        double sum = sums[k];
        for (int row = 1; row < kRows; ++row) sum += shared[row][threadIdx.x];
        partial[(blockIdx.y * kSums + k) * plan.channels + c] = sum;
      }
      __syncthreads();
    }
  }
}

// A block for each channel.
template <typename Terms>
__global__ void SumPlanesKernel(Terms terms, Channels plan, double* partial) {
  constexpr int kSums = Terms::kSums;
  __shared__ double shared[kMaxWarps];
  for (int64_t c = blockIdx.x; c < plan.channels; c += gridDim.x) {
    double sums[kSums] = {};
    AddTerms(terms, plan, c, plan.begin() + threadIdx.x, kThreads, sums);
    for (int k = 0; k < kSums; ++k) {
      const double sum = GroupReduce<SumOf>(sums[k], kThreads, shared);
      if (threadIdx.x == 0) partial[(blockIdx.y * kSums + k) * plan.channels + c] = sum;
    }
  }
}

// The sums of all splits, in their order.
struct ChannelSums {
  const double* partial;
  int64_t channels;
  int64_t splits;
  int sums;

  __device__ double At(int k, int64_t c) const {
    double sum = 0;
    for (int64_t split = 0; split < splits; ++split) sum += partial[(split * sums + k) * channels + c];
    return sum;
  }
};

__global__ void MeanKernel(ChannelSums sums, double count, float* mean) {
  for (int64_t c = FirstIndex(); c < sums.channels; c += IndexStep()) {
    mean[c] = static_cast<float>(sums.At(0, c) / max(count, 1.0));
  }
}

// What each element is multiplied with, and what is added.
struct Affine {
  float* factor;
  float* other;
  float* addend;
};

struct Forward {
  const float* scale;
  const float* offset;
  const float* old_mean;  // of the moving means; null where they are not read
  const float* old_variance;
  double epsilon;
  float mixed;   // the share of the batch in the moving means
  double count;  // of terms of a channel
  float* out[4] = {};  // moving mean and variance, and those of the batch
};

__device__ void SetAffine(const Forward& f, int64_t c, float mean, float variance,
                          const Affine& affine) {
  const double root = sqrt(static_cast<double>(variance) + f.epsilon);
  affine.factor[c] = static_cast<float>(f.scale[c] / root);
  affine.addend[c] = static_cast<float>(f.offset[c] - mean * (f.scale[c] / root));
}

// `f.out[2]` holds the means already.
__global__ void MeasuredKernel(ChannelSums squares, Forward f, Affine affine) {
  for (int64_t c = FirstIndex(); c < squares.channels; c += IndexStep()) {
    const double sum = squares.At(0, c);
    const float mean = f.out[2][c];
    f.out[3][c] = static_cast<float>(sum / max(f.count, 1.0));
    float moving = f.count == 0 ? NAN : mean;
    float whole = f.count == 0 ? NAN : static_cast<float>(sum / max(f.count - 1, 1.0));
    if (f.old_mean != nullptr) {
      moving = (1 - f.mixed) * f.old_mean[c] + f.mixed * moving;
      whole = (1 - f.mixed) * f.old_variance[c] + f.mixed * whole;
    }
    f.out[0][c] = moving;
    f.out[1][c] = whole;
    SetAffine(f, c, mean, f.out[3][c], affine);
  }
}

__global__ void GivenKernel(int64_t channels, Forward f, Affine affine) {
  for (int64_t c = FirstIndex(); c < channels; c += IndexStep()) {
    for (int i = 0; i < 4; ++i) f.out[i][c] = i % 2 == 0 ? f.old_mean[c] : f.old_variance[c];
    SetAffine(f, c, f.old_mean[c], f.old_variance[c], affine);
  }
}

struct Backward {
  const float* scale;
  const float* mean;
  const float* variance;
  double epsilon;
  bool training;  // else mean and variance do not hang on x
  double count;
  float* by_scale;
  float* by_offset;
};

__global__ void BackwardKernel(ChannelSums sums, Backward b, Affine affine) {
  for (int64_t c = FirstIndex(); c < sums.channels; c += IndexStep()) {
    const double root = 1 / sqrt(static_cast<double>(b.variance[c]) + b.epsilon);
    const double sum = sums.At(0, c);
    const double products = sums.At(1, c);
    b.by_scale[c] = static_cast<float>(products * root);
    b.by_offset[c] = static_cast<float>(sum);
    const double count = max(b.count, 1.0);
    const double share = b.scale[c] * root * root * root * products / count;
    affine.factor[c] = static_cast<float>(b.scale[c] * root);
    affine.other[c] = b.training ? static_cast<float>(-share) : 0.0f;
    affine.addend[c] =
        b.training ? static_cast<float>(share * b.mean[c] - b.scale[c] * root * sum / count) : 0.0f;
  }
}

// out[i] = a[i] * factor[c] + b[i] * other[c] + addend[c]; `b` may be null.
template <typename T>
__global__ void AffineKernel(int64_t count, Divider inner, Divider channels, const T* a, const T* b,
                             Affine affine, T* out) {
  for (int64_t i = FirstIndex(); i < count; i += IndexStep()) {
    int64_t c = inner.Quotient(i);
    channels.Split(&c);
    float value = static_cast<float>(Widen(a[i])) * affine.factor[c] + affine.addend[c];
    if (b != nullptr) value += static_cast<float>(Widen(b[i])) * affine.other[c];
    out[i] = Narrow<T>::From(value);
  }
}

// One call: its layout and the memory that it works in.
struct Work {
  OpKernelContext* context;
  CudaDevice* device;
  BiasLayout layout;
  int64_t splits = 1;
  Tensor partial{};
  Tensor numbers{};

  int64_t terms() const { return layout.outer * layout.inner; }
  double count() const { return static_cast<double>(terms()); }
  bool columns() const { return layout.inner == 1; }
  int64_t side_by_side() const { return columns() ? kColumns : 1; }

  Status Prepare(int sums) {
    const int64_t blocks = (layout.channels + side_by_side() - 1) / side_by_side();
    splits = std::max<int64_t>(
        1, std::min(kEnoughBlocks / std::max<int64_t>(blocks, 1), terms() / kMinSplit));
    ASSIGN_OR_RETURN(partial, context->AllocateTemp(DType::kDouble,
                                                    Shape{splits * sums * layout.channels}));
    ASSIGN_OR_RETURN(numbers, context->AllocateTemp(DType::kFloat, Shape{3 * layout.channels}));
    return OkStatus();
  }

  Affine affine() {
    float* data = numbers.mutable_data<float>();
    return {data, data + layout.channels, data + 2 * layout.channels};
  }

  template <typename Terms>
  Result<ChannelSums> Sum(const Terms& terms_of) {
    const Channels plan{layout.channels, terms(), (terms() + splits - 1) / splits,
                        Divider(layout.inner)};
    const int64_t blocks = (layout.channels + side_by_side() - 1) / side_by_side();
    LaunchShape shape{dim3(static_cast<unsigned>(std::min<int64_t>(blocks, 1 << 20)),
                           static_cast<unsigned>(splits)),
                      columns() ? dim3(kColumns, kRows) : dim3(kThreads)};
    double* sums = partial.mutable_data<double>();
    RETURN_IF_ERROR(columns()
                        ? Launch(device, shape, SumColumnsKernel<Terms>, terms_of, plan, sums)
                        : Launch(device, shape, SumPlanesKernel<Terms>, terms_of, plan, sums));
    return ChannelSums{sums, layout.channels, splits, Terms::kSums};
  }

  template <typename T>
  Status RunAffine(const T* a, const T* b, T* out) {
    const int64_t count = terms() * layout.channels;
    if (count == 0) return OkStatus();
    return Launch(device, LoopOver(*device, count), AffineKernel<T>, count, Divider(layout.inner),
                  Divider(layout.channels), a, b, affine(), out);
  }
};

template <typename T>
class CudaFusedBatchNormOp final : public OpKernel {
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
    Work work{context, CudaDeviceOf(context), layout};
    Forward forward{context->input(1).data<float>(), context->input(2).data<float>(),
                    reads_old ? context->input(3).data<float>() : nullptr,
                    reads_old ? context->input(4).data<float>() : nullptr,
                    settings_.epsilon, settings_.factor, work.count(), {}};
    for (int i = 0; i < 4; ++i) {
      ASSIGN_OR_RETURN(Tensor * vector, context->AllocateOutput(i + 1, Shape{layout.channels}));
      forward.out[i] = vector->mutable_data<float>();
    }
    if (context->num_outputs() > 5) {
      ASSIGN_OR_RETURN(Tensor * unused, context->AllocateOutput(5, Shape{}));
      RETURN_IF_ERROR(RunZero(context, unused));
    }
    const T* in = x.data<T>();
    ASSIGN_OR_RETURN(Tensor * y, context->ForwardOrAllocateOutput({0}, 0, x.shape()));
    if (layout.channels == 0) return OkStatus();
    RETURN_IF_ERROR(work.Prepare(1));
    RETURN_IF_ERROR(settings_.training ? Measure(&work, in, forward) : Take(&work, forward));
    return work.RunAffine<T>(in, nullptr, y->mutable_data<T>());
  }

 private:
  static Status Measure(Work* work, const T* x, const Forward& forward) {
    const LaunchShape each = LoopOver(*work->device, work->layout.channels);
    ASSIGN_OR_RETURN(const ChannelSums sums, work->Sum(ValueTerm<T>{x}));
    RETURN_IF_ERROR(Launch(work->device, each, MeanKernel, sums, work->count(), forward.out[2]));
    ASSIGN_OR_RETURN(const ChannelSums squares, work->Sum(SquareTerm<T>{x, forward.out[2]}));
    return Launch(work->device, each, MeasuredKernel, squares, forward, work->affine());
  }
  static Status Take(Work* work, const Forward& forward) {
    return Launch(work->device, LoopOver(*work->device, work->layout.channels), GivenKernel,
                  work->layout.channels, forward, work->affine());
  }

  BatchNormSettings settings_;
};

template <typename T>
class CudaFusedBatchNormGradOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    return settings_.Read(construction);
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& gradient = context->input(0);
    const Tensor& x = context->input(1);
    ASSIGN_OR_RETURN(const BiasLayout layout, settings_.LayoutOfGradient(*context));
    ASSIGN_OR_RETURN(Tensor * by_scale, context->AllocateOutput(1, Shape{layout.channels}));
    ASSIGN_OR_RETURN(Tensor * by_offset, context->AllocateOutput(2, Shape{layout.channels}));
    RETURN_IF_ERROR(context->AllocateOutput(3, Shape{0}).status());
    RETURN_IF_ERROR(context->AllocateOutput(4, Shape{0}).status());
    const T* from = gradient.data<T>();
    const T* in = x.data<T>();
    ASSIGN_OR_RETURN(Tensor * by_x, context->ForwardOrAllocateOutput({0}, 0, x.shape()));
    if (layout.channels == 0) return OkStatus();
    Work work{context, CudaDeviceOf(context), layout};
    RETURN_IF_ERROR(work.Prepare(2));
    const Backward backward{context->input(2).data<float>(), context->input(3).data<float>(),
                            context->input(4).data<float>(), settings_.epsilon, settings_.training,
                            work.count(), by_scale->mutable_data<float>(),
                            by_offset->mutable_data<float>()};
    ASSIGN_OR_RETURN(const ChannelSums sums,
                     work.Sum(GradientTerms<T>{from, in, backward.mean}));
    RETURN_IF_ERROR(Launch(work.device, LoopOver(*work.device, layout.channels), BackwardKernel,
                           sums, backward, work.affine()));
    return work.RunAffine<T>(from, in, by_x->mutable_data<T>());
  }

 private:
  BatchNormSettings settings_;
};

REGISTER_KERNEL(Kernel("FusedBatchNorm").OnGpu().Type<float>("T"), CudaFusedBatchNormOp<float>);
REGISTER_KERNEL(Kernel("FusedBatchNormGrad").OnGpu().Type<float>("T"),
                CudaFusedBatchNormGradOp<float>);
#define REGISTER(T)                                                                             \
  REGISTER_KERNEL(Kernel("FusedBatchNormV2").OnGpu().Type<T>("T"), CudaFusedBatchNormOp<T>);     \
  REGISTER_KERNEL(Kernel("FusedBatchNormV3").OnGpu().Type<T>("T"), CudaFusedBatchNormOp<T>);     \
  REGISTER_KERNEL(Kernel("FusedBatchNormGradV2").OnGpu().Type<T>("T"),                          \
                  CudaFusedBatchNormGradOp<T>);                                                 \
  REGISTER_KERNEL(Kernel("FusedBatchNormGradV3").OnGpu().Type<T>("T"),                          \
                  CudaFusedBatchNormGradOp<T>);
REGISTER(float)
REGISTER(Half)
REGISTER(BFloat16)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
