// What reductions share on a GPU.
#include "kernels/framework/cuda_group.cuh"
#include "kernels/framework/cuda_reduce.cuh"

namespace tfbuild {
namespace {

constexpr int kMaxDims = 6;  // of the kept ones and of the reduced ones
constexpr int kColumns = 32;
constexpr int kRows = kThreads / kColumns;
// A split of the reduced elements is worth a block from this many on.
constexpr int64_t kMinSplit = 4096;
constexpr int64_t kMaxSplits = 512;
// Blocks that fill any GPU. Not its own number of them, so that the additions, and with them the
// last places of a sum, are the same on each.
constexpr int64_t kEnoughBlocks = 512;
// Elements that a thread combines before it combines them with what it has: a long sum loses
// precision with each addition to a large number.
constexpr int kRun = 64;
// Of them, that are on their way from memory at once.
constexpr int kInFlight = 8;

// Where the elements lie, for one kind of dimensions.
struct Offsets {
  int rank = 0;
  Divider sizes[kMaxDims];
  int64_t strides[kMaxDims] = {};

  __device__ int64_t At(int64_t index) const {
    int64_t offset = 0;
#pragma unroll 1
    for (int k = rank - 1; k > 0; --k) {
      int64_t coordinate = index;
      index = sizes[k].Split(&coordinate);
      offset += coordinate * strides[k];
    }
    return rank == 0 ? 0 : offset + index * strides[0];
  }
};

template <typename T>
struct Task {
  Offsets kept;
  Offsets reduced;
  int64_t outputs;
  int64_t count;  // of elements for each output
  int64_t split;  // of them, for each blockIdx.y
  ComputeTypeOf<T> divisor;
  const T* in;
  T* out;
  ComputeTypeOf<T>* partial;  // set: results of each split instead of `out`

  __device__ int64_t begin() const { return blockIdx.y * split; }
  __device__ int64_t end() const { return min(count, begin() + split); }
  __device__ void Store(int64_t output, ComputeTypeOf<T> value) const {
    if (partial != nullptr) {
      partial[blockIdx.y * outputs + output] = value;
    } else {
      out[output] = Narrow<T>::From(value / divisor);
    }
  }
};

struct Plain {
  template <typename C>
  static __device__ C Apply(C value) { return value; }
};
struct Squared {
  template <typename C>
  static __device__ C Apply(C value) { return value * value; }
};

// Combines the elements `first`, `first + step` and so on before `end` of the output that begins at
// `in`.
template <typename Op, typename Map, typename T>
__device__ ComputeTypeOf<T> CombineElements(const Task<T>& task, const T* in, int64_t first,
                                            int64_t end, int step) {
  using C = ComputeTypeOf<T>;
  C value = Op::template Identity<C>();
  for (int64_t i = first; i < end;) {
    C part = Op::template Identity<C>();
    int k = 0;
    for (; k < kRun && i + int64_t{kInFlight - 1} * step < end; k += kInFlight) {
      C loaded[kInFlight];
#pragma unroll
      for (int j = 0; j < kInFlight; ++j, i += step) {
        loaded[j] = Map::Apply(Widen(in[task.reduced.At(i)]));
      }
#pragma unroll
      for (int j = 0; j < kInFlight; ++j) part = Op::Combine(part, loaded[j]);
    }
#pragma unroll 1
    for (; k < kRun && i < end; ++k, i += step) {
      part = Op::Combine(part, Map::Apply(Widen(in[task.reduced.At(i)])));
    }
    value = Op::Combine(value, part);
  }
  return value;
}

// A group of threads for each output, side by side along the reduced elements.
template <typename Op, typename Map, typename T>
__global__ void ReduceRowsKernel(Task<T> task, int width) {
  using C = ComputeTypeOf<T>;
  __shared__ C shared[kMaxWarps];
  const int groups = blockDim.x / width;
  const int group = threadIdx.x / width;
  const int lane = threadIdx.x % width;
  const int64_t end = task.end();
  for (int64_t first = int64_t{blockIdx.x} * groups; first < task.outputs;
       first += int64_t{gridDim.x} * groups) {
    const int64_t output = first + group;
    C value = Op::template Identity<C>();
    if (output < task.outputs) {
      value = CombineElements<Op, Map>(task, task.in + task.kept.At(output), task.begin() + lane,
                                       end, width);
    }
    value = GroupReduce<Op>(value, width, shared);
    if (lane == 0 && output < task.outputs) task.Store(output, value);
  }
}

// Neighbouring threads for neighbouring outputs, which lie side by side in memory; the rows of the
// block share the reduced elements.
template <typename Op, typename Map, typename T>
__global__ void ReduceColumnsKernel(Task<T> task) {
  using C = ComputeTypeOf<T>;
  __shared__ C shared[kRows][kColumns];
  const int64_t end = task.end();
  for (int64_t first = int64_t{blockIdx.x} * kColumns; first < task.outputs;
       first += int64_t{gridDim.x} * kColumns) {
    const int64_t output = first + threadIdx.x;
    C value = Op::template Identity<C>();
    if (output < task.outputs) {
      value = CombineElements<Op, Map>(task, task.in + task.kept.At(output),
                                       task.begin() + threadIdx.y, end, kRows);
    }
    shared[threadIdx.y][threadIdx.x] = value;
    __syncthreads();
    if (threadIdx.y == 0 && output < task.outputs) {
      for (int row = 1; row < kRows; ++row) {
        value = Op::Combine(value, shared[row][threadIdx.x]);
      }
      task.Store(output, value);
    }
    __syncthreads();
  }
}

// A warp for each output brings the results of the splits together.
template <typename Op, typename T>
__global__ void CombineKernel(const ComputeTypeOf<T>* partial, int64_t outputs, int64_t splits,
                              ComputeTypeOf<T> divisor, T* out) {
  using C = ComputeTypeOf<T>;
  const int lane = threadIdx.x % 32;
  for (int64_t output = FirstIndex() / 32; output < outputs; output += IndexStep() / 32) {
    C value = Op::template Identity<C>();
    for (int64_t split = lane; split < splits; split += 32) {
      value = Op::Combine(value, partial[split * outputs + output]);
    }
    value = ReduceInWarp<Op>(value, 32);
    if (lane == 0) out[output] = Narrow<T>::From(value / divisor);
  }
}

void AddDim(int64_t size, int64_t stride, Offsets* offsets) {
  offsets->sizes[offsets->rank] = Divider(size);
  offsets->strides[offsets->rank] = stride;
  ++offsets->rank;
}

// Strides of the dimensions of the plan, sorted by kind; none when there is nothing to read.
void SetOffsets(const ReductionPlan& plan, Offsets* kept, Offsets* reduced) {
  if (plan.reduced == 0) return;
  std::vector<int64_t> strides(plan.dims.size(), 1);
  for (size_t k = plan.dims.size() - 1; k > 0; --k) strides[k - 1] = strides[k] * plan.dims[k];
  for (size_t k = 0; k < plan.dims.size(); ++k) {
    AddDim(plan.dims[k], strides[k], plan.is_reduced(k) ? reduced : kept);
  }
}

// How the work is spread.
struct Spread {
  bool columns;
  int width;
  LaunchShape shape;
  int64_t splits = 1;
};

Spread MakeSpread(const CudaDevice& device, const ReductionPlan& plan) {
  const size_t last = plan.dims.size() - 1;
  Spread spread;
  spread.columns = !plan.is_reduced(last) && plan.dims[last] >= 16 && plan.reduced > 1;
  spread.width = GroupWidth(plan.reduced);
  if (spread.columns) {
    const int64_t blocks = (plan.outputs + kColumns - 1) / kColumns;
    spread.shape.grid = dim3(static_cast<unsigned>(std::min<int64_t>(blocks, 1 << 20)));
    spread.shape.block = dim3(kColumns, kRows);
  } else {
    spread.shape = GroupsFor(device, plan.outputs, spread.width);
  }
  const int64_t side_by_side = spread.columns ? kColumns : kThreads / spread.width;
  const int64_t wanted = kEnoughBlocks / ((plan.outputs + side_by_side - 1) / side_by_side);
  const int64_t work = plan.reduced * (spread.columns ? kColumns : 1) / kMinSplit;
  const int64_t splits = std::min({wanted, work, kMaxSplits});
  if (splits > 1 && (spread.columns || spread.width > 32)) spread.splits = splits;
  spread.shape.grid.y = static_cast<unsigned>(spread.splits);
  return spread;
}

template <typename Op, typename Map, typename T>
Status Run(OpKernelContext* context, const ReductionPlan& plan, const void* in, double divisor,
           void* out) {
  using C = ComputeTypeOf<T>;
  CudaDevice* device = CudaDeviceOf(context);
  const Spread spread = MakeSpread(*device, plan);
  Task<T> task{};
  SetOffsets(plan, &task.kept, &task.reduced);
  task.outputs = plan.outputs;
  task.count = plan.reduced;
  task.split = (plan.reduced + spread.splits - 1) / spread.splits;
  task.divisor = static_cast<C>(divisor);
  task.in = static_cast<const T*>(in);
  task.out = static_cast<T*>(out);
  Tensor partial;
  if (spread.splits > 1) {
    ASSIGN_OR_RETURN(partial, context->AllocateTemp(DTypeOf<C>::value,
                                                    Shape{spread.splits, plan.outputs}));
    task.partial = partial.mutable_data<C>();
  }
  RETURN_IF_ERROR(spread.columns
                      ? Launch(device, spread.shape, ReduceColumnsKernel<Op, Map, T>, task)
                      : Launch(device, spread.shape, ReduceRowsKernel<Op, Map, T>, task,
                               spread.width));
  if (spread.splits == 1) return OkStatus();
  return Launch(device, LoopOver(*device, plan.outputs * 32), CombineKernel<Op, T>, task.partial,
                plan.outputs, spread.splits, task.divisor, task.out);
}

using Runner = Status (*)(OpKernelContext* context, const ReductionPlan& plan, const void* in,
                          double divisor, void* out);

template <typename T>
Runner RunnerOf(CudaReduction kind) {
  switch (kind) {
    case CudaReduction::kSum: return Run<SumOf, Plain, T>;
    case CudaReduction::kProduct: return Run<ProductOf, Plain, T>;
    case CudaReduction::kMaximum: return Run<MaximumOf, Plain, T>;
    case CudaReduction::kMinimum: return Run<MinimumOf, Plain, T>;
    case CudaReduction::kSumOfSquares: return Run<SumOf, Squared, T>;
    default: return nullptr;
  }
}

Runner FindRunner(CudaReduction kind, DType dtype) {
  switch (dtype) {
#define CASE(T) \
  case DTypeOf<T>::value: return RunnerOf<T>(kind);
    TFBUILD_FLOATING_TYPES(CASE)
    CASE(int64_t)
#undef CASE
    case DType::kBool:
      if (kind == CudaReduction::kAll) return Run<AllOf, Plain, bool>;
      return kind == CudaReduction::kAny ? Run<AnyOf, Plain, bool> : nullptr;
    default: return nullptr;
  }
}

}  // namespace

Status RunCudaReduction(OpKernelContext* context, CudaReduction kind, const ReductionPlan& plan,
                        const Tensor& input, double divisor, Tensor* output) {
  if (plan.outputs == 0) return OkStatus();
  if (plan.reduced > 0 && plan.dims.size() > 2 * kMaxDims) {
    return Unimplemented("reducing more than ", kMaxDims, " separate runs of dimensions on a GPU");
  }
  const Runner run = FindRunner(kind, input.dtype());
  if (run == nullptr) return Internal("no reduction of ", DTypeName(input.dtype()), " on a GPU");
  return run(context, plan, input.raw(), divisor, output->raw());
}

}  // namespace tfbuild
