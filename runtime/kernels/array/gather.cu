// Ops that find their elements by number, on a GPU: GatherV2, ResourceGather and OneHot.
// A kernel cannot report an error: rows beyond the tensor are read as zeros.
#include "kernels/array/gather.h"
#include "kernels/array/one_hot.h"
#include "kernels/framework/cuda_launch.cuh"
#include "kernels/framework/resource_inputs.h"

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
Status RunGather(OpKernelContext* context, const GatherPlan& plan, const Tensor& params,
                 Tensor* output) {
  const int64_t ratio = static_cast<int64_t>(sizeof(E)) / DTypeSize(output->dtype());
  const int64_t elements = output->num_elements() / ratio;
  CudaDevice* device = CudaDeviceOf(context);
  return Launch(device, LoopOver(*device, elements), GatherKernel<E, Index>, elements, plan.axis,
                Divider(plan.inner / ratio), Divider(plan.indices), Divider(plan.outer),
                params.data<E>(), context->input(1).data<Index>(), output->mutable_data<E>());
}

template <typename Index>
Status Gather(OpKernelContext* context, const Tensor& params, const Tensor& axis,
              int64_t batch_dims) {
  ASSIGN_OR_RETURN(const GatherPlan plan,
                   PlanGather(params.shape(), context->input(1).shape(), axis, batch_dims));
  ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, plan.output));
  if (output->num_elements() == 0) return OkStatus();
  const int64_t size = DTypeSize(output->dtype());
  const bool wide = plan.inner * size % 16 == 0 && IsAligned<16>(params.data<char>()) &&
                    IsAligned<16>(output->data<char>());
  if (wide) return RunGather<uint4, Index>(context, plan, params, output);
  switch (size) {
    case 1: return RunGather<uint8_t, Index>(context, plan, params, output);
    case 2: return RunGather<uint16_t, Index>(context, plan, params, output);
    case 4: return RunGather<uint32_t, Index>(context, plan, params, output);
    default: return RunGather<uint64_t, Index>(context, plan, params, output);
  }
}

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
      case 8: return Run<uint64_t>(context, plan, output);
      default: return Run<uint4>(context, plan, output);
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

#define REGISTER(Index)                                                                       \
  REGISTER_KERNEL(Kernel("GatherV2").OnGpu().Type<Index>("Tindices").HostMemory("axis"),      \
                  GatherOp<Gather<Index>>);                                                       \
  REGISTER_KERNEL(Kernel("ResourceGather").OnGpu().Type<Index>("Tindices").HostMemory("resource"), \
                  ResourceGatherOp<Gather<Index>>);                                               \
  REGISTER_KERNEL(Kernel("OneHot").OnGpu().Type<Index>("TI").HostMemory("depth"),             \
                  CudaOneHotOp<Index>);
REGISTER(int32_t)
REGISTER(int64_t)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
