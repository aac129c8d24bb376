// Cumsum and Cumprod on a GPU. A thread goes through a short line, or one of many that lie side by
// side; else lines are cut into parts, each of which a block of threads goes through when it is
// known what those before it give.
#include "kernels/framework/cuda_group.cuh"
#include "kernels/math/cumsum.h"

namespace tfbuild {
namespace {

constexpr int64_t kShortLine = 32;
constexpr int64_t kManyLines = 1 << 14;
constexpr int64_t kPartLength = 4096;

// Where the numbers of lines are, in the order in which they are gone through.
struct LineGrid {
  Divider inner;
  int64_t length;
  bool exclusive, reverse;

  __device__ int64_t Start(int64_t line) const {
    int64_t column = line;
    const int64_t slab = inner.Split(&column);
    return slab * inner.size * length + column;
  }
  __device__ int64_t Step(int64_t i) const {
    return (reverse ? length - 1 - i : i) * inner.size;
  }
};

template <typename Op, typename T>
__global__ void LineKernel(int64_t lines, LineGrid grid, const T* in, T* out) {
  using C = ComputeTypeOf<T>;
  for (int64_t line = FirstIndex(); line < lines; line += IndexStep()) {
    const int64_t start = grid.Start(line);
    C sum = Op::template Identity<C>();
    for (int64_t i = 0; i < grid.length; ++i) {
      const int64_t at = start + grid.Step(i);
      const C next = Op::template Combine<C>(sum, Widen(in[at]));
      out[at] = Narrow<T>::From(grid.exclusive ? sum : next);
      sum = next;
    }
  }
}

// What each part of a line gives as a whole: [lines, parts].
template <typename Op, typename T>
__global__ void PartKernel(int64_t blocks, LineGrid grid, Divider parts, const T* in,
                           ComputeTypeOf<T>* totals) {
  using C = ComputeTypeOf<T>;
  __shared__ C shared[kMaxWarps];
  for (int64_t block = blockIdx.x; block < blocks; block += gridDim.x) {
    int64_t part = block;
    const int64_t start = grid.Start(parts.Split(&part));
    C total = Op::template Identity<C>();
    for (int64_t i = threadIdx.x; i < kPartLength; i += kThreads) {
      const int64_t at = part * kPartLength + i;
      if (at >= grid.length) break;
      total = Op::template Combine<C>(total, Widen(in[start + grid.Step(at)]));
    }
    total = GroupReduce<Op>(total, kThreads, shared);
    if (threadIdx.x == 0) totals[block] = total;
  }
}

// What the threads of a block up to this one give, this one among them. `shared` has kThreads places.
template <typename Op, typename C>
__device__ C ScanInBlock(C value, C* shared) {
  const int thread = threadIdx.x;
  shared[thread] = value;
  __syncthreads();
  for (int distance = 1; distance < kThreads; distance *= 2) {
    const C before = thread >= distance ? shared[thread - distance] : Op::template Identity<C>();
    __syncthreads();
    value = Op::template Combine<C>(before, value);
    shared[thread] = value;
    __syncthreads();
  }
  return value;
}

// Goes through each part from what those before it give.
template <typename Op, typename T>
__global__ void ScanKernel(int64_t blocks, LineGrid grid, Divider parts, const T* in,
                           const ComputeTypeOf<T>* before, T* out) {
  using C = ComputeTypeOf<T>;
  __shared__ C shared[kThreads];
  for (int64_t block = blockIdx.x; block < blocks; block += gridDim.x) {
    int64_t part = block;
    const int64_t start = grid.Start(parts.Split(&part));
    const int64_t end = min(grid.length, (part + 1) * kPartLength);
    C sum = before == nullptr ? Op::template Identity<C>() : before[block];
    for (int64_t first = part * kPartLength; first < end; first += kThreads) {
      const int64_t i = first + threadIdx.x;
      const int64_t at = start + grid.Step(i < end ? i : first);
      const C own = i < end ? C(Widen(in[at])) : Op::template Identity<C>();
      const C up_to = Op::template Combine<C>(sum, ScanInBlock<Op>(own, shared));
      const C without = threadIdx.x == 0
                            ? sum
                            : Op::template Combine<C>(sum, shared[threadIdx.x - 1]);
      if (i < end) out[at] = Narrow<T>::From(grid.exclusive ? without : up_to);
      sum = Op::template Combine<C>(sum, shared[kThreads - 1]);
      __syncthreads();  // the next scan may write
    }
  }
}

template <typename Op, typename T>
Status Scan(OpKernelContext* context, int64_t lines, const LineGrid& grid, const T* in, T* out) {
  using C = ComputeTypeOf<T>;
  CudaDevice* device = CudaDeviceOf(context);
  if (grid.length <= kShortLine || lines >= kManyLines) {
    return Launch(device, LoopOver(*device, lines), LineKernel<Op, T>, lines, grid, in, out);
  }
  const int64_t parts = (grid.length + kPartLength - 1) / kPartLength;
  const int64_t blocks = lines * parts;
  const LaunchShape shape = GroupsFor(*device, blocks, kThreads);
  Tensor before;
  C* totals = nullptr;
  if (parts > 1) {
    ASSIGN_OR_RETURN(before, context->AllocateTemp(DTypeOf<C>::value, Shape{blocks}));
    totals = before.mutable_data<C>();
    RETURN_IF_ERROR(Launch(device, shape, PartKernel<Op, T>, blocks, grid, Divider(parts), in,
                           totals));
    // A block and a thread read what they write, and no other does.
    const LineGrid of_totals{Divider(1), parts, true, false};
    RETURN_IF_ERROR((Scan<Op, C>(context, lines, of_totals, totals, totals)));
  }
  return Launch(device, shape, ScanKernel<Op, T>, blocks, grid, Divider(parts), in, totals, out);
}

template <typename T, typename Op>
class CudaCumulativeOp final : public CumulativeKernel {
  Status RunLines(OpKernelContext* context, const Lines& lines, const Tensor& x,
                  Tensor* output) const override {
    const LineGrid grid{Divider(lines.inner), lines.length, exclusive_, reverse_};
    return Scan<Op, T>(context, lines.count, grid, x.data<T>(), output->mutable_data<T>());
  }
};

#define REGISTER(T)                                                            \
  REGISTER_KERNEL(Kernel("Cumsum").OnGpu().Type<T>("T").HostMemory("axis"),    \
                  CudaCumulativeOp<T, SumOf>);                                 \
  REGISTER_KERNEL(Kernel("Cumprod").OnGpu().Type<T>("T").HostMemory("axis"),   \
                  CudaCumulativeOp<T, ProductOf>);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
