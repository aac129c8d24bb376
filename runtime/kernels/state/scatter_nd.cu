// ScatterNdUpdate, ScatterNdAdd and ScatterNdSub on a GPU, for references and for handles: what several
// coordinates name is a row of the variable, seen as a matrix of such slices.
#include "kernels/framework/cuda_slices.cuh"
#include "kernels/framework/functors.h"
#include "kernels/framework/locked_variables.h"
#include "kernels/state/scatter.cuh"

namespace tfbuild {
namespace {

// Which row each coordinate names; -1 for those outside, which are reported here.
template <typename Index>
__global__ void FindRowsKernel(Slices slices, const Index* indices, IndexCheck check,
                               int64_t* rows) {
  for (int64_t i = FirstIndex(); i < slices.count; i += IndexStep()) {
    const int64_t start = slices.Start(indices, i, check);
    rows[i] = start == kNowhere ? -1 : slices.width.Quotient(start);
  }
}

// All but the kernel that changes: the same for all types.
class CudaScatterNdOp : public CudaNdSlicesKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& indices = context->input(1);
    const Tensor& updates = context->input(2);
    ASSIGN_OR_RETURN(const LockedVariables locked, LockedVariables::Lock(context, 1));
    ASSIGN_OR_RETURN(const std::vector<Tensor*> values,
                     locked.MutableValues(context, updates.dtype()));
    Tensor* variable = values[0];
    Shape together;
    ASSIGN_OR_RETURN(const Slices slices,
                     MakeSlices(indices.shape(), variable->shape(), &together));
    if (updates.shape() != together) {
      return InvalidArgument("updates must have the shape ", together, " for indices of shape ",
                             indices.shape(), " and a variable of shape ", variable->shape(),
                             ", not ", updates.shape());
    }
    ForwardReference(context);
    if (slices.count == 0) return OkStatus();
    ASSIGN_OR_RETURN(Tensor rows, context->AllocateTemp(DType::kInt64, Shape{slices.count}));
    RETURN_IF_ERROR(indices.dtype() == DType::kInt32
                        ? FindRows<int32_t>(context, slices, indices, &rows)
                        : FindRows<int64_t>(context, slices, indices, &rows));
    if (variable->num_elements() == 0) return OkStatus();
    Tensor memory;
    ASSIGN_OR_RETURN(const RowChains chains,
                     LinkRows<int64_t>(context, rows, variable->num_elements() / slices.width.size,
                                       check_, &memory));
    return Scatter(CudaDeviceOf(context), chains, slices.count, slices.width, updates, false,
                   variable);
  }

 private:
  template <typename Index>
  Status FindRows(OpKernelContext* context, const Slices& slices, const Tensor& indices,
                  Tensor* rows) const {
    CudaDevice* device = CudaDeviceOf(context);
    return Launch(device, LoopOver(*device, slices.count), FindRowsKernel<Index>, slices,
                  indices.data<Index>(), check_.In(*context), rows->mutable_data<int64_t>());
  }
  virtual Status Scatter(CudaDevice* device, const RowChains& chains, int64_t count,
                         const Divider& width, const Tensor& updates, bool one_for_all,
                         Tensor* variable) = 0;
};

#define REGISTER_ONE(op, T, Change, in_order) \
  TFBUILD_SCATTER(Kernel(op).OnGpu().Type<T>("T"), CudaScatterNdOp, T, Change, in_order)
#define REGISTER_HANDLE(op, T, Change, in_order)                                 \
  TFBUILD_SCATTER(Kernel(op).OnGpu().Type<T>("T").HostMemory("ref"),             \
                  CudaScatterNdOp, T, Change, in_order)
// The last of several updates holds.
#define REGISTER(T)                                               \
  REGISTER_ONE("ScatterNdUpdate", T, Update, true)                \
  REGISTER_ONE("ScatterNdAdd", T, functor::Add, false)            \
  REGISTER_ONE("ScatterNdSub", T, functor::Sub, false)            \
  REGISTER_HANDLE("ResourceScatterNdUpdate", T, Update, true)     \
  REGISTER_HANDLE("ResourceScatterNdAdd", T, functor::Add, false) \
  REGISTER_HANDLE("ResourceScatterNdSub", T, functor::Sub, false)
TFBUILD_FLOATING_TYPES(REGISTER)
REGISTER(int64_t)
#undef REGISTER
#undef REGISTER_HANDLE
#undef REGISTER_ONE

}  // namespace
}  // namespace tfbuild
