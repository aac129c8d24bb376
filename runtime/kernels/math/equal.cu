// Comparisons and logic on a GPU.
#include "kernels/framework/cuda_elementwise.cuh"

namespace tfbuild {
namespace {

template <CudaBinaryLoop loop, bool kWhenIncompatible>
class CudaEqualOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(strict_, construction.Attr<bool>("incompatible_shape_error"));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    const Shape& x = context->input(0).shape();
    const Shape& y = context->input(1).shape();
    if (strict_ || BroadcastShapes(x, y).ok()) return ComputeCudaBinary(context, loop);
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, Shape{}));
    CudaDevice* device = CudaDeviceOf(context);
    RETURN_IF_ERROR(device->Activate());
    CUDA_RETURN_IF_ERROR(
        cudaMemsetAsync(output->raw(), kWhenIncompatible ? 1 : 0, 1, device->stream()));
    return OkStatus();
  }

 private:
  bool strict_ = true;
};

#define REGISTER(T)                                                     \
  REGISTER_KERNEL(Kernel("Equal").OnGpu().Type<T>("T"),                 \
                  CudaEqualOp<CudaBinary<functor::Equal, T, bool>, false>);  \
  REGISTER_KERNEL(Kernel("NotEqual").OnGpu().Type<T>("T"),              \
                  CudaEqualOp<CudaBinary<functor::NotEqual, T, bool>, true>);
TFBUILD_FLOATING_TYPES(REGISTER)
REGISTER(int64_t)
REGISTER(bool)
#undef REGISTER

#define REGISTER_ORDER(OP, T)                       \
  REGISTER_KERNEL(Kernel(#OP).OnGpu().Type<T>("T"), \
                  CudaBinaryOp<CudaBinary<functor::OP, T, bool>>);
#define REGISTER(T)              \
  REGISTER_ORDER(Less, T)        \
  REGISTER_ORDER(LessEqual, T)   \
  REGISTER_ORDER(Greater, T)     \
  REGISTER_ORDER(GreaterEqual, T)
TFBUILD_FLOATING_TYPES(REGISTER)
REGISTER(int64_t)
#undef REGISTER
#undef REGISTER_ORDER

REGISTER_KERNEL(Kernel("LogicalAnd").OnGpu(), CudaBinaryOp<CudaBinary<functor::LogicalAnd, bool>>);
REGISTER_KERNEL(Kernel("LogicalOr").OnGpu(), CudaBinaryOp<CudaBinary<functor::LogicalOr, bool>>);
REGISTER_KERNEL(Kernel("LogicalNot").OnGpu(), CudaUnaryOp<CudaUnary<functor::LogicalNot, bool>>);

}  // namespace
}  // namespace tfbuild
