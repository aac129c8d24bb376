// AddN on a GPU.
#include "kernels/framework/cuda_launch.cuh"
#include "kernels/framework/functors.h"

namespace tfbuild {
namespace {

constexpr int kMaxInputs = 64;  // of one pass

template <typename T>
struct Inputs {
  int count = 0;
  const T* at[kMaxInputs] = {};
};

// Added up in the type in which arithmetic is done, so that half rounds once.
template <typename T>
__global__ void AddNKernel(Inputs<T> inputs, int64_t count, T* out) {
  for (int64_t i = FirstIndex(); i < count; i += IndexStep()) {
    ComputeTypeOf<T> sum = Widen(inputs.at[0][i]);
    for (int k = 1; k < inputs.count; ++k) {
      sum = functor::Add::Apply(sum, static_cast<ComputeTypeOf<T>>(Widen(inputs.at[k][i])));
    }
    out[i] = Narrow<T>::From(sum);
  }
}

template <typename T>
class CudaAddNOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Shape& shape = context->input(0).shape();
    for (int i = 1; i < context->num_inputs(); ++i) {
      if (context->input(i).shape() == shape) continue;
      return InvalidArgument("Inputs to AddN must have the same shape. Input 0: ", shape,
                             " != input ", i, ": ", context->input(i).shape());
    }
    if (context->num_inputs() == 1) {
      context->SetOutput(0, context->input(0));
      return OkStatus();
    }
    ASSIGN_OR_RETURN(Tensor * sum, context->AllocateOutput(0, shape));
    const int64_t count = shape.num_elements();
    if (count == 0) return OkStatus();
    CudaDevice* device = CudaDeviceOf(context);
    for (int next = 0; next < context->num_inputs();) {
      Inputs<T> inputs;
      // From the second pass on, what there is so far comes first.
      if (next > 0) inputs.at[inputs.count++] = sum->data<T>();
      while (next < context->num_inputs() && inputs.count < kMaxInputs) {
        inputs.at[inputs.count++] = context->input(next++).data<T>();
      }
      RETURN_IF_ERROR(Launch(device, LoopOver(*device, count), AddNKernel<T>, inputs, count,
                             sum->mutable_data<T>()));
    }
    return OkStatus();
  }
};

#define REGISTER(T) REGISTER_KERNEL(Kernel("AddN").OnGpu().Type<T>("T"), CudaAddNOp<T>);
TFBUILD_FLOATING_TYPES(REGISTER)
REGISTER(int64_t)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
