// L2Loss on a GPU.
#include "kernels/framework/cuda_reduce.cuh"

namespace tfbuild {
namespace {

// Half the sum of the squares of all elements.
class CudaL2LossOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    ReductionPlan plan;
    plan.dims = {input.num_elements()};
    plan.first_is_reduced = true;
    plan.reduced = input.num_elements();
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, Shape{}));
    return RunCudaReduction(context, CudaReduction::kSumOfSquares, plan, input, 2, output);
  }
};

#define REGISTER(T) REGISTER_KERNEL(Kernel("L2Loss").OnGpu().Type<T>("T"), CudaL2LossOp);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
