// Softmax and LogSoftmax, and the cross entropies made of them, on a GPU.
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

// Of the row whose element k is at row[k * step]; for all threads of the group.
template <typename T, typename C>
__device__ RowStats<C> MeasureRow(const T* row, int64_t step, int64_t columns, bool active,
                                  int width, C* shared) {
  const int lane = threadIdx.x % width;
  const int64_t end = active ? columns : 0;
  RowStats<C> stats;
  C largest = MaximumOf::Identity<C>();
  for (int64_t k = lane; k < end; k += width) {
    largest = MaximumOf::Combine(largest, Widen(row[k * step]));
  }
  stats.largest = GroupReduce<MaximumOf>(largest, width, shared);
  // The largest ones are counted: where there is one, the logarithm is that of 1 and little.
  C times = 0;
  C rest = 0;
  for (int64_t k = lane; k < end; k += width) {
    const C x = Widen(row[k * step]);
    if (x - stats.largest == C(0)) times += C(1);
    else rest += ExpOfDifference(x, stats.largest);
  }
  times = GroupReduce<SumOf>(times, width, shared);
  rest = GroupReduce<SumOf>(rest, width, shared);
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

template <typename T>
__global__ void SoftmaxKernel(int64_t rows, int64_t columns, int width, bool logarithm,
                              const T* in, T* out) {
  using C = ComputeTypeOf<T>;
  __shared__ C shared[kMaxWarps];
  ForEachRow(rows, width, [=](int64_t row, bool active) {
    const T* from = in + row * columns;
    T* to = out + row * columns;
    const RowStats<C> stats = MeasureRow<T, C>(from, 1, columns, active, width, shared);
    const C scale = C(1) / stats.sum;
    const int64_t end = active ? columns : 0;
    for (int64_t k = threadIdx.x % width; k < end; k += width) {
      const C x = Widen(from[k]);
      // largest + log_sum would lose the last places of the logarithm.
      to[k] = Narrow<T>::From(logarithm ? (x - stats.largest) - stats.log_sum
                                        : ExpOfDifference(x, stats.largest) * scale);
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

template <typename T>
__global__ void CrossEntropyKernel(int64_t rows, int64_t columns, int width, Stretched<T> logits,
                                   Stretched<T> labels, T* loss, T* backprop) {
  using C = ComputeTypeOf<T>;
  __shared__ C shared[kMaxWarps];
  ForEachRow(rows, width, [=](int64_t row, bool active) {
    const T* x = logits.data + row * logits.row_step;
    const T* label = labels.data + row * labels.row_step;
    const RowStats<C> stats =
        MeasureRow<T, C>(x, logits.column_step, columns, active, width, shared);
    const int64_t end = active ? columns : 0;
    C entropy = 0;
    for (int64_t k = threadIdx.x % width; k < end; k += width) {
      const C logit = Widen(x[k * logits.column_step]);
      const C wanted = Widen(label[k * labels.column_step]);
      if (wanted != C(0)) entropy += wanted * (stats.log_sum - (logit - stats.largest));
      const C probability = ExpOfDifference(logit, stats.largest) / stats.sum;
      backprop[row * columns + k] = Narrow<T>::From(probability - wanted);
    }
    entropy = GroupReduce<SumOf>(entropy, width, shared);
    if (active && threadIdx.x % width == 0) loss[row] = Narrow<T>::From(entropy);
  });
}

// A label beyond the classes makes its row NaN: a kernel cannot report an error.
template <typename T, typename Label>
__global__ void SparseCrossEntropyKernel(int64_t rows, int64_t columns, int width, const T* logits,
                                         const Label* labels, T* loss, T* backprop) {
  using C = ComputeTypeOf<T>;
  __shared__ C shared[kMaxWarps];
  ForEachRow(rows, width, [=](int64_t row, bool active) {
    const T* x = logits + row * columns;
    const RowStats<C> stats = MeasureRow<T, C>(x, 1, columns, active, width, shared);
    const int64_t label = labels[row];
    const bool valid = label >= 0 && label < columns;
    const C poison = valid ? C(0) : static_cast<C>(NAN);
    const int64_t end = active ? columns : 0;
    for (int64_t k = threadIdx.x % width; k < end; k += width) {
      const C probability = ExpOfDifference<C>(Widen(x[k]), stats.largest) / stats.sum;
      backprop[row * columns + k] =
          Narrow<T>::From(probability - (k == label ? C(1) : C(0)) + poison);
    }
    if (active && threadIdx.x % width == 0) {
      const C shifted = (valid ? Widen(x[label]) : C(0)) - stats.largest;
      loss[row] = Narrow<T>::From(stats.log_sum - shifted + poison);
    }
  });
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
    const int64_t rows = count / columns;
    const int width = GroupWidth(columns);
    CudaDevice* device = CudaDeviceOf(context);
    return Launch(device, GroupsFor(*device, rows, width), SoftmaxKernel<T>, rows, columns, width,
                  kLogarithm, in, output->mutable_data<T>());
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
    const int width = GroupWidth(sizes.classes);
    CudaDevice* device = CudaDeviceOf(context);
    return Launch(device, GroupsFor(*device, sizes.rows, width), CrossEntropyKernel<T>, sizes.rows,
                  sizes.classes, width, x, wanted, loss->mutable_data<T>(),
                  backprop->mutable_data<T>());
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
    const int width = GroupWidth(sizes.classes);
    CudaDevice* device = CudaDeviceOf(context);
    return Launch(device, GroupsFor(*device, sizes.rows, width), SparseCrossEntropyKernel<T, Label>,
                  sizes.rows, sizes.classes, width, logits.data<T>(), labels.data<Label>(),
                  loss->mutable_data<T>(), backprop->mutable_data<T>());
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
