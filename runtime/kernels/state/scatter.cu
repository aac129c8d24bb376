// ScatterUpdate, ScatterAdd and the like on a GPU, for references and for handles.
#include "kernels/framework/functors.h"
#include "kernels/framework/locked_variables.h"
#include "kernels/state/row_updates.h"
#include "kernels/state/scatter.cuh"

namespace tfbuild {
namespace {

// What becomes of an element, as kernels/state/scatter.cuh says.
struct Min {
  template <typename C>
  static __device__ C Apply(C value, C by) { return by < value ? by : value; }
};
struct Max {
  template <typename C>
  static __device__ C Apply(C value, C by) { return value < by ? by : value; }
};

// All but the kernel that does it: the same for all types.
class CudaScatterOp : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    check_ = IndexCheck(construction, "indices");
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& indices = context->input(1);
    const Tensor& updates = context->input(2);
    ASSIGN_OR_RETURN(const LockedVariables locked, LockedVariables::Lock(context, 1));
    if (locked[0]->value.initialized()) {
      RETURN_IF_ERROR(UpdatesFit(PartialShape(locked[0]->value.shape()),
                                 PartialShape(indices.shape()), PartialShape(updates.shape())));
    }
    ASSIGN_OR_RETURN(const std::vector<Tensor*> values,
                     locked.MutableValues(context, updates.dtype()));
    ForwardReference(context);
    const int64_t rows = values[0]->dim(0);
    if (indices.num_elements() == 0) return OkStatus();
    Tensor memory;
    ASSIGN_OR_RETURN(const RowChains chains,
                     indices.dtype() == DType::kInt32
                         ? LinkRows<int32_t>(context, indices, rows, check_, &memory)
                         : LinkRows<int64_t>(context, indices, rows, check_, &memory));
    if (values[0]->num_elements() == 0) return OkStatus();
    return Scatter(CudaDeviceOf(context), chains, indices.num_elements(),
                   Divider(values[0]->num_elements() / rows), updates, updates.rank() == 0,
                   values[0]);
  }

 private:
  virtual Status Scatter(CudaDevice* device, const RowChains& chains, int64_t count,
                         const Divider& width, const Tensor& updates, bool one_for_all,
                         Tensor* variable) = 0;

  IndexCheck check_;
};

#define REGISTER_ONE(op, T, Change, in_order) \
  TFBUILD_SCATTER(Kernel(op).OnGpu().Type<T>("T"), CudaScatterOp, T, Change, in_order)
#define REGISTER_HANDLE(op, T, Change, in_order)                                        \
  TFBUILD_SCATTER(Kernel(op).OnGpu().Type<T>("dtype").HostMemory("resource"),           \
                  CudaScatterOp, T, Change, in_order)
// The last of several updates holds.
#define REGISTER(T)                                              \
  REGISTER_ONE("ScatterUpdate", T, Update, true)                 \
  REGISTER_ONE("ScatterAdd", T, functor::Add, false)             \
  REGISTER_ONE("ScatterSub", T, functor::Sub, false)             \
  REGISTER_ONE("ScatterMul", T, functor::Mul, false)             \
  REGISTER_ONE("ScatterMin", T, Min, false)                      \
  REGISTER_ONE("ScatterMax", T, Max, false)                      \
  REGISTER_HANDLE("ResourceScatterUpdate", T, Update, true)      \
  REGISTER_HANDLE("ResourceScatterAdd", T, functor::Add, false)  \
  REGISTER_HANDLE("ResourceScatterSub", T, functor::Sub, false)  \
  REGISTER_HANDLE("ResourceScatterMul", T, functor::Mul, false)  \
  REGISTER_HANDLE("ResourceScatterMin", T, Min, false)           \
  REGISTER_HANDLE("ResourceScatterMax", T, Max, false)
TFBUILD_FLOATING_TYPES(REGISTER)
REGISTER(int64_t)
#undef REGISTER

// Integers are divided on the CPU, where a divisor of 0 is an error.
#define REGISTER(T)                                  \
  REGISTER_ONE("ScatterDiv", T, functor::Div, false) \
  REGISTER_HANDLE("ResourceScatterDiv", T, functor::Div, false)
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER
#undef REGISTER_HANDLE
#undef REGISTER_ONE

}  // namespace
}  // namespace tfbuild
