// BiasAdd and BiasAddGrad on a GPU.
#include "kernels/framework/cuda_elementwise.cuh"
#include "kernels/framework/cuda_reduce.cuh"
#include "kernels/nn/bias_layout.h"

namespace tfbuild {
namespace {

Result<DataFormat> FormatOf(const OpKernelConstruction& construction) {
  ASSIGN_OR_RETURN(const std::string text, construction.Attr<std::string>("data_format"));
  return ParseDataFormat(text);
}

class CudaBiasAddOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(format_, FormatOf(construction));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& value = context->input(0);
    const Tensor& bias = context->input(1);
    ASSIGN_OR_RETURN(const BiasLayout layout,
                     MakeBiasLayout(format_, value.shape(), bias.shape()));
    const void* in = value.raw();
    ASSIGN_OR_RETURN(Tensor * output, context->ForwardOrAllocateOutput({0}, 0, value.shape()));
    if (output->num_elements() == 0) return OkStatus();
    Shape shape;
    ASSIGN_OR_RETURN(const BroadcastMap map,
                     MakeBroadcastMap(Shape{layout.outer, layout.channels, layout.inner},
                                      Shape{layout.channels, 1}, &shape));
    return FindCudaAdd(output->dtype())(CudaDeviceOf(context), map, in, bias.raw(),
                                        output->raw());
  }

 private:
  DataFormat format_ = DataFormat::kNHWC;
};

class CudaBiasAddGradOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(format_, FormatOf(construction));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& gradient = context->input(0);
    ASSIGN_OR_RETURN(const BiasLayout layout, MakeBiasLayout(format_, gradient.shape()));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, Shape{layout.channels}));
    ReductionPlan plan;
    plan.dims = {layout.outer, layout.channels};
    if (layout.inner > 1) plan.dims.push_back(layout.inner);
    plan.first_is_reduced = true;
    plan.outputs = layout.channels;
    plan.reduced = layout.outer * layout.inner;
    return RunCudaReduction(context, CudaReduction::kSum, plan, gradient, 1, output);
  }

 private:
  DataFormat format_ = DataFormat::kNHWC;
};

#define REGISTER(T)                                                        \
  REGISTER_KERNEL(Kernel("BiasAdd").OnGpu().Type<T>("T"), CudaBiasAddOp);  \
  REGISTER_KERNEL(Kernel("BiasAddGrad").OnGpu().Type<T>("T"), CudaBiasAddGradOp);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
