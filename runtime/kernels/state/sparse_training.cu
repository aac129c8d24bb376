// One step of an optimiser on those rows of a variable and its slots that indices name, on a GPU. An
// index that comes several times is as many steps, one after another, as on the CPU.
#include "kernels/state/row_chains.cuh"
#include "kernels/state/row_updates.h"
#include "kernels/state/training_scalars.cuh"

namespace tfbuild {
namespace {

template <typename Optimizer, typename T>
__global__ void SparseApplyKernel(int64_t elements, Divider width, RowChains chains,
                                  Scalars<T> scalars, const T* grad, Values<T> values) {
  using C = ComputeTypeOf<T>;
  constexpr int kVariables = Optimizer::kVariables;
  const auto rule = MakeRule(Optimizer(), scalars);
  for (int64_t e = FirstIndex(); e < elements; e += IndexStep()) {
    int64_t column = e;
    const int i = static_cast<int>(width.Split(&column));
    const int64_t row = chains.RowOfHead(i);
    if (row == kOutside) continue;
    const int64_t place = row * width.size + column;
    C x[kVariables];
#pragma unroll
    for (int j = 0; j < kVariables; ++j) x[j] = Widen(values.at[j][place]);
    chains.ForEachInOrder(i, [&](int at) {
      const C gradient = Widen(grad[at * width.size + column]);
      if constexpr (kVariables == 2) rule(gradient, &x[0], &x[1]);
      if constexpr (kVariables == 3) rule(gradient, &x[0], &x[1], &x[2]);
    });
#pragma unroll
    for (int j = 0; j < kVariables; ++j) values.at[j][place] = Narrow<T>::From(x[j]);
  }
}

template <typename T, typename Index, typename Optimizer>
class CudaSparseApplyOp final : public OpKernel, public UpdatesVariables {
 public:
  int num_updated() const override { return Optimizer::kVariables; }

  Status Init(const OpKernelConstruction& construction) override {
    check_ = IndexCheck(construction, "indices");
    if constexpr (Optimizer::kFlag != nullptr) {
      ASSIGN_OR_RETURN(flag_, construction.Attr<bool>(Optimizer::kFlag));
    }
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    constexpr int kVariables = Optimizer::kVariables;
    constexpr int kGradient = Optimizer::kGradient;
    const Tensor& gradient = context->input(kGradient);
    const Tensor& indices = context->input(kGradient + 1);
    ASSIGN_OR_RETURN(const LockedVariables locked, LockedVariables::Lock(context, kVariables));
    ASSIGN_OR_RETURN(const std::vector<Tensor*> tensors,
                     locked.MutableValues(context, DTypeOf<T>::value));
    const Shape& shape = tensors[0]->shape();
    RETURN_IF_ERROR(GradientFits(PartialShape(shape), PartialShape(indices.shape()),
                                 PartialShape(gradient.shape())));
    Scalars<T> scalars{};
    scalars.flag = flag_;
    int scalar = 0;
    for (int i = kVariables; i < context->num_inputs(); ++i) {
      if (i == kGradient || i == kGradient + 1) continue;
      RETURN_IF_ERROR(CheckScalarInput(*context, i));
      scalars.at[scalar++] = context->input(i).data<T>();
    }
    ForwardReference(context);
    const int64_t count = indices.num_elements();
    if (count == 0) return OkStatus();
    Tensor memory;
    ASSIGN_OR_RETURN(const RowChains chains,
                     LinkRows<Index>(context, indices, shape.dim(0), check_, &memory));
    if (shape.num_elements() == 0) return OkStatus();
    Values<T> values{};
    for (size_t j = 0; j < tensors.size(); ++j) values.at[j] = tensors[j]->mutable_data<T>();
    const int64_t width = shape.num_elements() / shape.dim(0);
    CudaDevice* device = CudaDeviceOf(context);
    return Launch(device, LoopOver(*device, count * width), SparseApplyKernel<Optimizer, T>,
                  count * width, Divider(width), chains, scalars, gradient.data<T>(), values);
  }

 private:
  IndexCheck check_;
  bool flag_ = false;
};

#define REGISTER_INDEX(op, T, Index, Optimizer)                                       \
  REGISTER_KERNEL(Kernel(op).OnGpu().Type<T>("T").Type<Index>("Tindices"),            \
                  CudaSparseApplyOp<T, Index, Optimizer<T>>);
// No op has an argument with the name of another's variable.
#define REGISTER_HANDLES(op, T, Index, Optimizer)                                     \
  REGISTER_KERNEL(Kernel(op).OnGpu().Type<T>("T").Type<Index>("Tindices")             \
                      .HostMemory("var").HostMemory("accum").HostMemory("ms").HostMemory("mom"), \
                  CudaSparseApplyOp<T, Index, Optimizer<T>>);
#define REGISTER_ONE(T, Index)                                                   \
  REGISTER_INDEX("SparseApplyMomentum", T, Index, Momentum)                      \
  REGISTER_INDEX("SparseApplyAdagrad", T, Index, Adagrad)                        \
  REGISTER_INDEX("SparseApplyRMSProp", T, Index, RmsProp)                        \
  REGISTER_HANDLES("ResourceSparseApplyMomentum", T, Index, Momentum)            \
  REGISTER_HANDLES("ResourceSparseApplyKerasMomentum", T, Index, KerasMomentum)  \
  REGISTER_HANDLES("ResourceSparseApplyAdagrad", T, Index, Adagrad)              \
  REGISTER_HANDLES("ResourceSparseApplyAdagradV2", T, Index, AdagradV2)          \
  REGISTER_HANDLES("ResourceSparseApplyRMSProp", T, Index, RmsProp)
#define REGISTER(T) REGISTER_ONE(T, int32_t) REGISTER_ONE(T, int64_t)
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER
#undef REGISTER_ONE
#undef REGISTER_HANDLES
#undef REGISTER_INDEX

}  // namespace
}  // namespace tfbuild
