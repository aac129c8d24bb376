// Reductions along axes on a GPU: Sum, Mean, Prod, Max, Min, All and Any.
#include "kernels/framework/cuda_reduce.cuh"

namespace tfbuild {
namespace {

template <CudaReduction kind, bool kMean = false>
class CudaReductionOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(keep_dims_, construction.Attr<bool>("keep_dims"));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    ASSIGN_OR_RETURN(const ReductionPlan plan,
                     PlanReduction(input.shape(), context->input(1), keep_dims_));
    if (plan.reduced == 1) return PassOn(context, plan);
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, plan.output));
    const double divisor = kMean ? static_cast<double>(plan.reduced) : 1;
    return RunCudaReduction(context, kind, plan, input, divisor, output);
  }

 private:
  // Nothing to combine: the input itself.
  static Status PassOn(OpKernelContext* context, const ReductionPlan& plan) {
    ASSIGN_OR_RETURN(Tensor output, context->input(0).Reshaped(plan.output));
    context->SetOutput(0, std::move(output));
    return OkStatus();
  }

  bool keep_dims_ = false;
};

#define REGISTER_REDUCTION(OP, T, ...)                                                    \
  REGISTER_KERNEL(Kernel(OP).OnGpu().Type<T>("T").HostMemory("reduction_indices"), \
                  CudaReductionOp<__VA_ARGS__>);
#define REGISTER(T)                                       \
  REGISTER_REDUCTION("Sum", T, CudaReduction::kSum)       \
  REGISTER_REDUCTION("Prod", T, CudaReduction::kProduct)  \
  REGISTER_REDUCTION("Max", T, CudaReduction::kMaximum)   \
  REGISTER_REDUCTION("Min", T, CudaReduction::kMinimum)
TFBUILD_FLOATING_TYPES(REGISTER)
REGISTER(int64_t)
#undef REGISTER

#define REGISTER(T) REGISTER_REDUCTION("Mean", T, CudaReduction::kSum, true)
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER
#undef REGISTER_REDUCTION

REGISTER_KERNEL(Kernel("All").OnGpu().HostMemory("reduction_indices"),
                CudaReductionOp<CudaReduction::kAll>);
REGISTER_KERNEL(Kernel("Any").OnGpu().HostMemory("reduction_indices"),
                CudaReductionOp<CudaReduction::kAny>);

}  // namespace
}  // namespace tfbuild
