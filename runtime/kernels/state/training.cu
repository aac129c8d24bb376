// One step of an optimiser on a variable and its slots, on a GPU. Unlike on the CPU, the scalars lie
// on the device too: powers and learning rates may be variables there, and fetching them would
// stop the stream at each step.
#include "kernels/state/training_scalars.cuh"

namespace tfbuild {
namespace {

template <typename Optimizer, typename T>
__global__ void ApplyKernel(int64_t count, Scalars<T> scalars, const T* grad, Values<T> values) {
  using C = ComputeTypeOf<T>;
  constexpr int kVariables = Optimizer::kVariables;
  const auto rule = MakeRule(Optimizer(), scalars);
  for (int64_t i = FirstIndex(); i < count; i += IndexStep()) {
    C x[kVariables];
#pragma unroll
    for (int j = 0; j < kVariables; ++j) x[j] = Widen(values.at[j][i]);
    const C gradient = Widen(grad[i]);
    if constexpr (kVariables == 1) rule(gradient, &x[0]);
    if constexpr (kVariables == 2) rule(gradient, &x[0], &x[1]);
    if constexpr (kVariables == 3) rule(gradient, &x[0], &x[1], &x[2]);
#pragma unroll
    for (int j = kVariables - 1; j >= 0; --j) values.at[j][i] = Narrow<T>::From(x[j]);
  }
}

template <typename T, typename Optimizer>
class CudaApplyOp final : public OpKernel, public UpdatesVariables {
 public:
  int num_updated() const override { return Optimizer::kVariables; }

  Status Init(const OpKernelConstruction& construction) override {
    if constexpr (Optimizer::kFlag != nullptr) {
      ASSIGN_OR_RETURN(flag_, construction.Attr<bool>(Optimizer::kFlag));
    }
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    constexpr int kVariables = Optimizer::kVariables;
    ASSIGN_OR_RETURN(const LockedVariables locked, LockedVariables::Lock(context, kVariables));
    ASSIGN_OR_RETURN(const std::vector<Tensor*> tensors,
                     locked.MutableValues(context, DTypeOf<T>::value));
    RETURN_IF_ERROR(CheckTrainingInputs<Optimizer>(*context, tensors[0]->shape()));
    Values<T> values{};
    for (size_t j = 0; j < tensors.size(); ++j) values.at[j] = tensors[j]->mutable_data<T>();
    Scalars<T> scalars{};
    scalars.flag = flag_;
    int scalar = 0;
    for (int i = kVariables; i < context->num_inputs(); ++i) {
      if (i != Optimizer::kGradient) scalars.at[scalar++] = context->input(i).data<T>();
    }
    const Tensor& gradient = context->input(Optimizer::kGradient);
    ForwardReference(context);
    const int64_t count = tensors[0]->num_elements();
    if (count == 0) return OkStatus();
    CudaDevice* device = CudaDeviceOf(context);
    return Launch(device, LoopOver(*device, count), ApplyKernel<Optimizer, T>, count, scalars,
                  gradient.data<T>(), values);
  }

 private:
  bool flag_ = false;
};

#define REGISTER_ONE(op, T, Optimizer) \
  REGISTER_KERNEL(Kernel(op).OnGpu().Type<T>("T"), CudaApplyOp<T, Optimizer<T>>);
// No op has an argument with the name of another's variable.
#define REGISTER_HANDLES(op, T, Optimizer)                                                     \
  REGISTER_KERNEL(Kernel(op).OnGpu().Type<T>("T").HostMemory("var").HostMemory("accum")        \
                      .HostMemory("m").HostMemory("v").HostMemory("ms").HostMemory("mom"),     \
                  CudaApplyOp<T, Optimizer<T>>);
#define REGISTER(T)                                        \
  REGISTER_ONE("ApplyGradientDescent", T, GradientDescent) \
  REGISTER_ONE("ApplyMomentum", T, Momentum)               \
  REGISTER_ONE("ApplyAdam", T, Adam)                       \
  REGISTER_ONE("ApplyRMSProp", T, RmsProp)                 \
  REGISTER_ONE("ApplyAdagrad", T, Adagrad)                 \
  REGISTER_HANDLES("ResourceApplyGradientDescent", T, GradientDescent) \
  REGISTER_HANDLES("ResourceApplyMomentum", T, Momentum)                 \
  REGISTER_HANDLES("ResourceApplyKerasMomentum", T, KerasMomentum)       \
  REGISTER_HANDLES("ResourceApplyAdam", T, Adam)                         \
  REGISTER_HANDLES("ResourceApplyRMSProp", T, RmsProp)                   \
  REGISTER_HANDLES("ResourceApplyAdagrad", T, Adagrad)                   \
  REGISTER_HANDLES("ResourceApplyAdagradV2", T, AdagradV2)
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER
#undef REGISTER_ONE
#undef REGISTER_HANDLES

}  // namespace
}  // namespace tfbuild
