// Ops that find their elements by number, on a GPU: GatherV2, OneHot and UnsortedSegmentSum.
// A kernel cannot report an error: rows beyond the tensor are read as zeros and not written.
#include <type_traits>

#include "kernels/array/gather.h"
#include "kernels/array/one_hot.h"
#include "kernels/framework/cuda_launch.cuh"
#include "kernels/framework/strided_copy.h"
#include "kernels/math/segment_sum.h"

namespace tfbuild {
namespace {

template <typename E, typename Index>
__global__ void GatherKernel(int64_t elements, int64_t rows, Divider inner, Divider count,
                             Divider outer, const E* params, const Index* indices, E* out) {
  for (int64_t i = FirstIndex(); i < elements; i += IndexStep()) {
    int64_t column = i;
    int64_t at = inner.Split(&column);
    const int64_t slab = count.Split(&at);  // of batch and outer together
    int64_t within = slab;
    const int64_t batch = outer.Split(&within);
    const int64_t row = static_cast<int64_t>(indices[batch * count.size + at]);
    const bool valid = row >= 0 && row < rows;
    E element{};
    if (valid) element = params[(slab * rows + row) * inner.size + column];
    out[i] = element;
  }
}

template <typename E, typename Index>
Status RunGather(OpKernelContext* context, const GatherPlan& plan, Tensor* output) {
  const int64_t ratio = static_cast<int64_t>(sizeof(E)) / DTypeSize(output->dtype());
  const int64_t elements = output->num_elements() / ratio;
  CudaDevice* device = CudaDeviceOf(context);
  return Launch(device, LoopOver(*device, elements), GatherKernel<E, Index>, elements, plan.axis,
                Divider(plan.inner / ratio), Divider(plan.indices), Divider(plan.outer),
                context->input(0).data<E>(), context->input(1).data<Index>(),
                output->mutable_data<E>());
}

template <typename Index>
class CudaGatherOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(batch_dims_, construction.Attr<int64_t>("batch_dims"));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const GatherPlan plan,
                     PlanGather(context->input(0).shape(), context->input(1).shape(),
                                context->input(2), batch_dims_));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, plan.output));
    if (output->num_elements() == 0) return OkStatus();
    const int64_t size = DTypeSize(output->dtype());
    const bool wide = plan.inner * size % 16 == 0 &&
                      IsAligned<16>(context->input(0).data<char>()) &&
                      IsAligned<16>(output->data<char>());
    if (wide) return RunGather<uint4, Index>(context, plan, output);
    switch (size) {
      case 1: return RunGather<uint8_t, Index>(context, plan, output);
      case 2: return RunGather<uint16_t, Index>(context, plan, output);
      case 4: return RunGather<uint32_t, Index>(context, plan, output);
      default: return RunGather<uint64_t, Index>(context, plan, output);
    }
  }

 private:
  int64_t batch_dims_ = 0;
};

// The result is [outer, depth, inner], the indices [outer, inner].
template <typename E, typename Index>
__global__ void OneHotKernel(int64_t elements, Divider inner, Divider depth, const Index* indices,
                             const E* on, const E* off, E* out) {
  const E is_hot = *on;
  const E is_cold = *off;
  for (int64_t i = FirstIndex(); i < elements; i += IndexStep()) {
    int64_t column = i;
    int64_t at = inner.Split(&column);
    const int64_t row = depth.Split(&at);
    const Index index = indices[row * inner.size + column];
    out[i] = static_cast<int64_t>(index) == at ? is_hot : is_cold;
  }
}

template <typename Index>
class CudaOneHotOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(axis_, construction.Attr<int64_t>("axis"));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const OneHotPlan plan,
                     PlanOneHot(context->input(0).shape(), context->input(1), axis_,
                                context->input(2).shape(), context->input(3).shape()));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, plan.output));
    if (output->num_elements() == 0) return OkStatus();
    switch (DTypeSize(output->dtype())) {
      case 1: return Run<uint8_t>(context, plan, output);
      case 2: return Run<uint16_t>(context, plan, output);
      case 4: return Run<uint32_t>(context, plan, output);
      default: return Run<uint64_t>(context, plan, output);
    }
  }

 private:
  template <typename E>
  static Status Run(OpKernelContext* context, const OneHotPlan& plan, Tensor* output) {
    CudaDevice* device = CudaDeviceOf(context);
    const int64_t elements = output->num_elements();
    return Launch(device, LoopOver(*device, elements), OneHotKernel<E, Index>, elements,
                  Divider(plan.suffix), Divider(plan.depth), context->input(0).data<Index>(),
                  context->input(2).data<E>(), context->input(3).data<E>(),
                  output->mutable_data<E>());
  }

  int64_t axis_ = -1;
};

// Rows with a number beyond the segments are left out. Additions to one segment come in any order.
template <typename T, typename Index>
__global__ void SegmentSumKernel(int64_t elements, Divider inner, int64_t segments, const T* data,
                                 const Index* ids, ComputeTypeOf<T>* sums) {
  for (int64_t i = FirstIndex(); i < elements; i += IndexStep()) {
    int64_t column = i;
    const int64_t segment = static_cast<int64_t>(ids[inner.Split(&column)]);
    if (segment < 0 || segment >= segments) continue;
    atomicAdd(sums + segment * inner.size + column, Widen(data[i]));
  }
}

template <typename T>
__global__ void RoundKernel(int64_t count, const ComputeTypeOf<T>* from, T* to) {
  for (int64_t i = FirstIndex(); i < count; i += IndexStep()) to[i] = Narrow<T>::From(from[i]);
}

template <typename T, typename Index>
class CudaSegmentSumOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    using C = ComputeTypeOf<T>;
    const Tensor& data = context->input(0);
    const Tensor& ids = context->input(1);
    ASSIGN_OR_RETURN(const Shape shape,
                     SegmentSumShape(data.shape(), ids.shape(), context->input(2)));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    if (output->num_elements() == 0) return OkStatus();
    Tensor sums = *output;
    if (!std::is_same<T, C>::value) {
      ASSIGN_OR_RETURN(sums, context->AllocateTemp(DTypeOf<C>::value, shape));
    }
    RETURN_IF_ERROR(RunZero(context, &sums));
    CudaDevice* device = CudaDeviceOf(context);
    const int64_t elements = data.num_elements();
    const int64_t segments = shape.dim(0);
    const int64_t inner = output->num_elements() / segments;
    if (elements > 0) {
      RETURN_IF_ERROR(Launch(device, LoopOver(*device, elements), SegmentSumKernel<T, Index>,
                             elements, Divider(inner), segments, data.data<T>(),
                             ids.data<Index>(), sums.mutable_data<C>()));
    }
    if (std::is_same<T, C>::value) return OkStatus();
    return Launch(device, LoopOver(*device, output->num_elements()), RoundKernel<T>,
                  output->num_elements(), sums.data<C>(), output->mutable_data<T>());
  }

};

#define REGISTER(Index)                                                                       \
  REGISTER_KERNEL(Kernel("GatherV2").OnGpu().Type<Index>("Tindices").HostMemory("axis"),      \
                  CudaGatherOp<Index>);                                                       \
  REGISTER_KERNEL(Kernel("OneHot").OnGpu().Type<Index>("TI").HostMemory("depth"),             \
                  CudaOneHotOp<Index>);
REGISTER(int32_t)
REGISTER(int64_t)
#undef REGISTER

#define REGISTER_ONE(T, Index)                     \
  REGISTER_KERNEL(Kernel("UnsortedSegmentSum")     \
                      .OnGpu()                     \
                      .Type<T>("T")                \
                      .Type<Index>("Tindices")     \
                      .HostMemory("num_segments"), \
                  CudaSegmentSumOp<T, Index>);
#define REGISTER(T) REGISTER_ONE(T, int32_t) REGISTER_ONE(T, int64_t)
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER
#undef REGISTER_ONE

}  // namespace
}  // namespace tfbuild
