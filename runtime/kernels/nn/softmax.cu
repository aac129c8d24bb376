// Softmax and LogSoftmax, and the cross entropies made of them, on a GPU. A row is read twice: once for
// its largest number and the sum below it together (Milakov and Gimelshein 2018, "Online normalizer
// calculation for softmax"), and once for the results. Kernels read packs of N elements, where rows are
// whole packs at aligned addresses, or one by one.
#include "kernels/framework/cuda_group.cuh"
#include "kernels/nn/xent_sizes.h"

namespace tfbuild {
namespace {

// The largest number of a row, the sum of exp(x - largest), and its logarithm.
template <typename C>
struct RowStats {
  C largest;
  C sum;
  C log_sum;
};

// exp(x - largest). What the difference loses when it is rounded goes into the result: of -80 it is
// as much as 40 units in the last place.
template <typename C>
__device__ C ExpOfDifference(C x, C largest) {
  const C difference = x - largest;
  const C back = difference - x;
  const C lost = (x - (difference - back)) - (largest + back);
  const C power = exp(difference);
  return power > C(0) ? power + power * lost : power;  // of an infinite difference nothing is lost
}

// What a thread knows of the elements that it has seen. The largest ones are counted: where there is
// one, the logarithm of the sum is that of 1 and little.
template <typename C>
struct Seen {
  C largest = MaximumOf::Identity<C>();
  C times = 0;
  C rest = 0;  // the sum of exp(x - largest) of all others

  // From now on relative to a number that is no less, or is NaN.
  __device__ void RaiseTo(C top) {
    if (largest == top) return;
    rest = (times + rest) * ExpOfDifference(largest, top);
    times = 0;
    largest = top;
  }

  template <int N>
  __device__ void See(const C (&x)[N]) {
    C top = largest;
#pragma unroll
    for (int j = 0; j < N; ++j) top = MaximumOf::Combine(top, x[j]);
    RaiseTo(top);
#pragma unroll
    for (int j = 0; j < N; ++j) {
      if (x[j] == largest) times += C(1);
      else rest += ExpOfDifference(x[j], largest);
    }
  }
};

// Elements i * N and those behind it of a row whose element k is at row[k * step]; a step other than
// 1 is for one element.
template <int N, typename T>
struct Elements {
  using C = ComputeTypeOf<T>;
  C at[N];

  __device__ Elements(const T* row, int64_t step, int64_t i) {
    if (N == 1) {
      at[0] = Widen(row[i * step]);
      return;
    }
    const Pack<T, N> pack = LoadPack<N>(row + i * N);
#pragma unroll
    for (int j = 0; j < N; ++j) at[j] = Widen(pack.at[j]);
  }
};

template <int N, typename T, typename C>
__device__ void StoreElements(T* row, int64_t i, const C (&values)[N]) {
  Pack<T, N> pack;
#pragma unroll
  for (int j = 0; j < N; ++j) pack.at[j] = Narrow<T>::From(values[j]);
  StorePack(row + i * N, pack);
}

// Of the row whose element k is at row[k * step]; for all threads of the group.
template <int N, typename T, typename C>
__device__ RowStats<C> MeasureRow(const T* row, int64_t step, int64_t packs, int width, C* shared) {
  Seen<C> seen;
  for (int64_t i = threadIdx.x % width; i < packs; i += width) {
    seen.See(Elements<N, T>(row, step, i).at);
  }
  RowStats<C> stats;
  stats.largest = GroupReduce<MaximumOf>(seen.largest, width, shared);
  seen.RaiseTo(stats.largest);
  const C times = GroupReduce<SumOf>(seen.times, width, shared);
  C rest = GroupReduce<SumOf>(seen.rest, width, shared);
  rest += stats.largest - stats.largest;  // NaN where that is infinite or NaN
  stats.sum = times + rest;
  stats.log_sum = times == C(1) ? log1p(rest) : log(stats.sum);
  return stats;
}

// Calls body(row, active) for each row of this group; inactive calls only keep company.
template <typename Body>
__device__ void ForEachRow(int64_t rows, int width, const Body& body) {
  const int groups = blockDim.x / width;
  for (int64_t first = int64_t{blockIdx.x} * groups; first < rows;
       first += int64_t{gridDim.x} * groups) {
    const int64_t row = first + threadIdx.x / width;
    body(row < rows ? row : rows - 1, row < rows);
  }
}

template <int N, typename T>
__global__ void SoftmaxKernel(int64_t rows, int64_t packs, int width, bool logarithm, const T* in,
                              T* out) {
  using C = ComputeTypeOf<T>;
  __shared__ C shared[kMaxWarps];
  ForEachRow(rows, width, [=](int64_t row, bool active) {
    const T* from = in + row * packs * N;
    T* to = out + row * packs * N;
    const int64_t end = active ? packs : 0;
    const RowStats<C> stats = MeasureRow<N, T, C>(from, 1, end, width, shared);
    const C scale = C(1) / stats.sum;
    for (int64_t i = threadIdx.x % width; i < end; i += width) {
      Elements<N, T> x(from, 1, i);
#pragma unroll
      for (C& value : x.at) {
        // largest + log_sum would lose the last places of the logarithm.
        value = logarithm ? (value - stats.largest) - stats.log_sum
                          : ExpOfDifference(value, stats.largest) * scale;
      }
      StoreElements(to, i, x.at);
    }
  });
}

// A matrix of which rows or columns may be one stretched over all.
template <typename T>
struct Stretched {
  const T* data;
  int64_t row_step;
  int64_t column_step;
};

template <int N, typename T>
__global__ void CrossEntropyKernel(int64_t rows, int64_t packs, int width, Stretched<T> logits,
                                   Stretched<T> labels, T* loss, T* backprop) {
  using C = ComputeTypeOf<T>;
  __shared__ C shared[kMaxWarps];
  ForEachRow(rows, width, [=](int64_t row, bool active) {
    const T* x = logits.data + row * logits.row_step;
    const T* label = labels.data + row * labels.row_step;
    const int64_t end = active ? packs : 0;
    const RowStats<C> stats = MeasureRow<N, T, C>(x, logits.column_step, end, width, shared);
    C entropy = 0;
    for (int64_t i = threadIdx.x % width; i < end; i += width) {
      Elements<N, T> logit(x, logits.column_step, i);
      const Elements<N, T> wanted(label, labels.column_step, i);
#pragma unroll
      for (int j = 0; j < N; ++j) {
        const C shifted = logit.at[j] - stats.largest;
        if (wanted.at[j] != C(0)) entropy += wanted.at[j] * (stats.log_sum - shifted);
        logit.at[j] = ExpOfDifference(logit.at[j], stats.largest) / stats.sum - wanted.at[j];
      }
      StoreElements(backprop + row * packs * N, i, logit.at);
    }
    entropy = GroupReduce<SumOf>(entropy, width, shared);
    if (active && threadIdx.x % width == 0) loss[row] = Narrow<T>::From(entropy);
  });
}

// A label beyond the classes makes its row NaN: a kernel cannot report an error.
template <int N, typename T, typename Label>
__global__ void SparseCrossEntropyKernel(int64_t rows, int64_t packs, int width, const T* logits,
                                         const Label* labels, T* loss, T* backprop) {
  using C = ComputeTypeOf<T>;
  __shared__ C shared[kMaxWarps];
  ForEachRow(rows, width, [=](int64_t row, bool active) {
    const int64_t columns = packs * N;
    const T* x = logits + row * columns;
    const int64_t end = active ? packs : 0;
    const RowStats<C> stats = MeasureRow<N, T, C>(x, 1, end, width, shared);
    const int64_t label = labels[row];
    const bool valid = label >= 0 && label < columns;
    const C poison = valid ? C(0) : static_cast<C>(NAN);
    for (int64_t i = threadIdx.x % width; i < end; i += width) {
      Elements<N, T> logit(x, 1, i);
#pragma unroll
      for (int j = 0; j < N; ++j) {
        const C probability = ExpOfDifference(logit.at[j], stats.largest) / stats.sum;
        logit.at[j] = probability - (i * N + j == label ? C(1) : C(0)) + poison;
      }
      StoreElements(backprop + row * columns, i, logit.at);
    }
    if (active && threadIdx.x % width == 0) {
      const C shifted = (valid ? Widen(x[label]) : C(0)) - stats.largest;
      loss[row] = Narrow<T>::From(stats.log_sum - shifted + poison);
    }
  });
}

// Queues the kernel for packs, where rows of that many columns are whole packs that lie at aligned
// addresses of all the tensors, or the one for single elements.
template <typename T, typename Packed, typename Single, typename... Args>
Status LaunchOverRows(OpKernelContext* context, Packed packed, Single single, bool aligned,
                      int64_t rows, int64_t columns, const Args&... args) {
  CudaDevice* device = CudaDeviceOf(context);
  const int64_t size = aligned && columns % kPackSize<T> == 0 ? kPackSize<T> : 1;
  const int width = GroupWidth(columns) < kThreads ? GroupWidth(columns / size) : kThreads;
  const LaunchShape shape = GroupsFor(*device, rows, width);
  return size == 1 ? Launch(device, shape, single, rows, columns, width, args...)
                   : Launch(device, shape, packed, rows, columns / size, width, args...);
}

template <typename... T>
bool AreAligned(const T*... data) {
  return (IsAligned<kPackSize<T>>(data) && ...);
}

template <typename T, bool kLogarithm>
class CudaSoftmaxOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& logits = context->input(0);
    if (logits.rank() < 1) return InvalidArgument("logits must have at least one dimension");
    const T* in = logits.data<T>();
    const int64_t count = logits.num_elements();
    const int64_t columns = logits.dim(logits.rank() - 1);
    ASSIGN_OR_RETURN(Tensor * output, context->ForwardOrAllocateOutput({0}, 0, logits.shape()));
    if (count == 0) return OkStatus();
    T* out = output->mutable_data<T>();
    return LaunchOverRows<T>(context, SoftmaxKernel<kPackSize<T>, T>, SoftmaxKernel<1, T>,
                             AreAligned(in, out), count / columns, columns, kLogarithm, in, out);
  }
};

template <typename T>
class CudaCrossEntropyOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& logits = context->input(0);
    const Tensor& labels = context->input(1);
    ASSIGN_OR_RETURN(const DenseXentSizes sizes,
                     MakeDenseXentSizes(logits.shape(), labels.shape()));
    ASSIGN_OR_RETURN(Tensor * loss, context->AllocateOutput(0, Shape{sizes.rows}));
    ASSIGN_OR_RETURN(Tensor * backprop,
                     context->AllocateOutput(1, Shape{sizes.rows, sizes.classes}));
    if (sizes.rows == 0) return OkStatus();
    const Stretched<T> x{logits.data<T>(), sizes.features_row, sizes.features_col};
    const Stretched<T> wanted{labels.data<T>(), sizes.labels_row, sizes.labels_col};
    T* gradient = backprop->mutable_data<T>();
    const bool aligned = x.column_step == 1 && wanted.column_step == 1 &&
                         AreAligned(x.data, wanted.data, gradient);
    return LaunchOverRows<T>(context, CrossEntropyKernel<kPackSize<T>, T>, CrossEntropyKernel<1, T>,
                             aligned, sizes.rows, sizes.classes, x, wanted, loss->mutable_data<T>(),
                             gradient);
  }
};

template <typename T, typename Label>
class CudaSparseCrossEntropyOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& logits = context->input(0);
    const Tensor& labels = context->input(1);
    ASSIGN_OR_RETURN(const XentSizes sizes, MakeSparseXentSizes(logits.shape(), labels.shape()));
    ASSIGN_OR_RETURN(Tensor * loss, context->AllocateOutput(0, Shape{sizes.rows}));
    ASSIGN_OR_RETURN(Tensor * backprop, context->AllocateOutput(1, logits.shape()));
    if (sizes.rows == 0) return OkStatus();
    const T* in = logits.data<T>();
    T* gradient = backprop->mutable_data<T>();
    return LaunchOverRows<T>(context, SparseCrossEntropyKernel<kPackSize<T>, T, Label>,
                             SparseCrossEntropyKernel<1, T, Label>, AreAligned(in, gradient),
                             sizes.rows, sizes.classes, in, labels.data<Label>(),
                             loss->mutable_data<T>(), gradient);
  }
};

#define REGISTER_SPARSE(T, Label)                                     \
  REGISTER_KERNEL(Kernel("SparseSoftmaxCrossEntropyWithLogits")       \
                      .OnGpu()                                        \
                      .Type<T>("T")                                   \
                      .Type<Label>("Tlabels"),                        \
                  CudaSparseCrossEntropyOp<T, Label>);
#define REGISTER(T)                                                                       \
  REGISTER_KERNEL(Kernel("Softmax").OnGpu().Type<T>("T"), CudaSoftmaxOp<T, false>);       \
  REGISTER_KERNEL(Kernel("LogSoftmax").OnGpu().Type<T>("T"), CudaSoftmaxOp<T, true>);     \
  REGISTER_KERNEL(Kernel("SoftmaxCrossEntropyWithLogits").OnGpu().Type<T>("T"),           \
                  CudaCrossEntropyOp<T>);                                                 \
  REGISTER_SPARSE(T, int32_t)                                                             \
  REGISTER_SPARSE(T, int64_t)
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER
#undef REGISTER_SPARSE

}  // namespace
}  // namespace tfbuild
