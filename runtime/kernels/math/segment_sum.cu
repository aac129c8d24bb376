// UnsortedSegmentSum on a GPU.
#include "kernels/math/segment_sum.h"

#include <type_traits>

#include "kernels/framework/cuda_launch.cuh"
#include "kernels/framework/strided_copy.h"

namespace tfbuild {
namespace {

// Additions to one segment come in any order.
template <typename T, typename Index>
__global__ void SegmentSumKernel(int64_t elements, Divider inner, int64_t segments, const T* data,
                                 const Index* ids, ComputeTypeOf<T>* sums, IndexCheck check) {
  for (int64_t i = FirstIndex(); i < elements; i += IndexStep()) {
    int64_t column = i;
    const int64_t row = inner.Split(&column);
    const int64_t segment = static_cast<int64_t>(ids[row]);
    if (segment < 0) continue;
    if (segment >= segments) {
      check.Report(row, segment, segments);
      continue;
    }
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
  Status Init(const OpKernelConstruction& construction) override {
    check_ = IndexCheck(construction, "segment_ids");
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    using C = ComputeTypeOf<T>;
    const Tensor& data = context->input(0);
    const Tensor& ids = context->input(1);
    ASSIGN_OR_RETURN(const Shape shape,
                     SegmentSumShape(data.shape(), ids.shape(), context->input(2)));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    Tensor sums = *output;
    if (!std::is_same<T, C>::value) {
      ASSIGN_OR_RETURN(sums, context->AllocateTemp(DTypeOf<C>::value, shape));
    }
    const int64_t count = output->num_elements();
    if (count > 0) RETURN_IF_ERROR(RunZero(context, &sums));
    CudaDevice* device = CudaDeviceOf(context);
    const int64_t elements = data.num_elements();
    if (elements > 0) {  // also where there are no segments: no id is right then
      RETURN_IF_ERROR(Launch(device, LoopOver(*device, elements), SegmentSumKernel<T, Index>,
                             elements, Divider(elements / ids.num_elements()), shape.dim(0),
                             data.data<T>(), ids.data<Index>(), sums.mutable_data<C>(),
                             check_.In(*context)));
    }
    if (std::is_same<T, C>::value || count == 0) return OkStatus();
    return Launch(device, LoopOver(*device, count), RoundKernel<T>, count, sums.data<C>(),
                  output->mutable_data<T>());
  }

 private:
  IndexCheck check_;
};

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
