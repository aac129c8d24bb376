// ArgMax and ArgMin on a GPU.
#include "kernels/framework/cuda_group.cuh"
#include "kernels/framework/shape_inputs.h"

namespace tfbuild {
namespace {

// A number and where it was found.
template <typename C>
struct Candidate {
  C value;
  int64_t index;
};

// What every number but NaN is at least as good as.
template <bool kLargest, typename C>
__device__ Candidate<C> Worst() {
  return {kLargest ? -static_cast<C>(INFINITY) : static_cast<C>(INFINITY), 0};
}

// The better of two and, among equals, the one with the lower index. NaN is never better.
template <bool kLargest, typename C>
__device__ Candidate<C> Better(Candidate<C> a, Candidate<C> b) {
  if (kLargest ? b.value > a.value : b.value < a.value) return b;
  return a.value == b.value && b.index < a.index ? b : a;
}

template <bool kLargest, typename C>
__device__ Candidate<C> BestInWarp(Candidate<C> best, int width) {
  for (int offset = width / 2; offset > 0; offset /= 2) {
    Candidate<C> other;
    other.value = __shfl_xor_sync(0xffffffffu, best.value, offset);
    other.index = __shfl_xor_sync(0xffffffffu, best.index, offset);
    best = Better<kLargest>(best, other);
  }
  return best;
}

// As GroupReduce.
template <bool kLargest, typename C>
__device__ Candidate<C> BestInGroup(Candidate<C> best, int width, Candidate<C>* shared) {
  if (width <= 32) return BestInWarp<kLargest>(best, width);
  best = BestInWarp<kLargest>(best, 32);
  const int lane = threadIdx.x % 32;
  if (lane == 0) shared[threadIdx.x / 32] = best;
  __syncthreads();
  best = BestInWarp<kLargest>(shared[lane % kMaxWarps], kMaxWarps);
  __syncthreads();
  return best;
}

// The tensor as [outer, size, inner]; a group of threads for each result.
template <typename T, typename Index, bool kLargest>
__global__ void ArgKernel(int64_t outputs, int64_t size, Divider inner, int width, const T* in,
                          Index* out) {
  using C = ComputeTypeOf<T>;
  __shared__ Candidate<C> shared[kMaxWarps];
  const int groups = blockDim.x / width;
  const int lane = threadIdx.x % width;
  for (int64_t first = int64_t{blockIdx.x} * groups; first < outputs;
       first += int64_t{gridDim.x} * groups) {
    const int64_t output = first + threadIdx.x / width;
    Candidate<C> best = Worst<kLargest, C>();
    if (output < outputs) {
      int64_t column = output;
      const int64_t row = inner.Split(&column);
      const T* from = in + row * size * inner.size + column;
      for (int64_t k = lane; k < size; k += width) {
        best = Better<kLargest>(best, Candidate<C>{Widen(from[k * inner.size]), k});
      }
    }
    best = BestInGroup<kLargest>(best, width, shared);
    if (lane == 0 && output < outputs) out[output] = static_cast<Index>(best.index);
  }
}

template <typename T, typename Index, bool kLargest>
class CudaArgOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    ASSIGN_OR_RETURN(const int axis, AxisFrom(context->input(1), input.rank()));
    const int64_t size = input.dim(axis);
    std::vector<int64_t> dims = input.shape().dims();
    dims.erase(dims.begin() + axis);
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make(std::move(dims)));
    if (size == 0) {
      return InvalidArgument("Reduction axis ", axis, " is empty in shape ", input.shape());
    }
    if (size - 1 > std::numeric_limits<Index>::max()) {
      return InvalidArgument("indices along axis ", axis, " of shape ", input.shape(),
                             " do not fit in ", DTypeName(DTypeOf<Index>::value));
    }
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    const int64_t outputs = shape.num_elements();
    if (outputs == 0) return OkStatus();
    int64_t inner = 1;
    for (int k = axis + 1; k < input.rank(); ++k) inner *= input.dim(k);
    // Neighbouring threads read neighbours in memory.
    const int width = inner >= 16 ? 1 : GroupWidth(size);
    CudaDevice* device = CudaDeviceOf(context);
    return Launch(device, GroupsFor(*device, outputs, width), ArgKernel<T, Index, kLargest>,
                  outputs, size, Divider(inner), width, input.data<T>(),
                  output->mutable_data<Index>());
  }
};

#define REGISTER_ONE(OP, LARGEST, T, INDEX)        \
  REGISTER_KERNEL(Kernel(OP)                       \
                      .OnGpu()                     \
                      .Type<T>("T")                \
                      .Type<INDEX>("output_type")  \
                      .HostMemory("dimension"),    \
                  CudaArgOp<T, INDEX, LARGEST>);
#define REGISTER(T)                          \
  REGISTER_ONE("ArgMax", true, T, int32_t)   \
  REGISTER_ONE("ArgMax", true, T, int64_t)   \
  REGISTER_ONE("ArgMin", false, T, int32_t)  \
  REGISTER_ONE("ArgMin", false, T, int64_t)
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER
#undef REGISTER_ONE

}  // namespace
}  // namespace tfbuild
