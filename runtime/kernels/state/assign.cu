// AssignAdd and AssignSub on a GPU.
#include "kernels/framework/cuda_elementwise.cuh"
#include "kernels/state/ref_inputs.h"

namespace tfbuild {
namespace {

template <CudaBinaryLoop loop>
class CudaAssignUpdateOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const LockedVariables lock, LockedVariables::Lock(context, 1));
    ASSIGN_OR_RETURN(const std::vector<Tensor*> values, MutableValues(context, 1));
    Tensor* value = values[0];
    const Tensor& change = context->input(1);
    RETURN_IF_ERROR(CheckInputShape(*context, 1, value->shape()));
    context->SetOutputVariable(0, context->input_variable(0));
    Shape shape;
    ASSIGN_OR_RETURN(const BroadcastMap map,
                     MakeBroadcastMap(value->shape(), change.shape(), &shape));
    if (map.count == 0) return OkStatus();
    return loop(CudaDeviceOf(context), map, value->raw(), change.raw(), value->raw());
  }
};

#define REGISTER(T)                                                 \
  REGISTER_KERNEL(Kernel("AssignAdd").OnGpu().Type<T>("T"),         \
                  CudaAssignUpdateOp<CudaBinary<functor::Add, T>>); \
  REGISTER_KERNEL(Kernel("AssignSub").OnGpu().Type<T>("T"),         \
                  CudaAssignUpdateOp<CudaBinary<functor::Sub, T>>);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
