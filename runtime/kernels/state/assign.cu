// AssignAdd and AssignSub on a GPU.
#include "kernels/framework/cuda_elementwise.cuh"
#include "kernels/framework/locked_variables.h"

namespace tfbuild {
namespace {

template <CudaBinaryLoop loop>
class CudaAssignUpdateOp final : public OpKernel, public UpdatesVariables {
 public:
  int num_updated() const override { return 1; }

  Status Compute(OpKernelContext* context) override {
    const Tensor& change = context->input(1);
    ASSIGN_OR_RETURN(const LockedVariables locked, LockedVariables::Lock(context, 1));
    ASSIGN_OR_RETURN(const std::vector<Tensor*> values,
                     locked.MutableValues(context, change.dtype()));
    Tensor* value = values[0];
    RETURN_IF_ERROR(CheckInputShape(*context, 1, value->shape()));
    ForwardReference(context);
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
                  CudaAssignUpdateOp<CudaBinary<functor::Sub, T>>); \
  REGISTER_KERNEL(Kernel("AssignAddVariableOp").OnGpu().Type<T>("dtype").HostMemory("resource"), \
                  CudaAssignUpdateOp<CudaBinary<functor::Add, T>>); \
  REGISTER_KERNEL(Kernel("AssignSubVariableOp").OnGpu().Type<T>("dtype").HostMemory("resource"), \
                  CudaAssignUpdateOp<CudaBinary<functor::Sub, T>>);
TFBUILD_FLOATING_TYPES(REGISTER)
REGISTER(int64_t)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
