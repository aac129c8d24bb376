// What elementwise ops share on a GPU.
#include "kernels/framework/broadcast.h"
#include "kernels/framework/cuda_elementwise.cuh"

#include "kernels/framework/add_tensors.h"

namespace tfbuild {

Result<BroadcastMap> MakeBroadcastMap(const Shape& x, const Shape& y, Shape* output) {
  ASSIGN_OR_RETURN(const BroadcastPlan plan, PlanBroadcast({&x, &y}));
  const size_t rank = plan.dims.size();
  if (rank > kMaxBroadcastDims) {
    return Unimplemented("broadcasting ", x, " with ", y, " on a GPU: more than ",
                         kMaxBroadcastDims, " dimensions stay apart");
  }
  BroadcastMap map;
  map.count = plan.output.num_elements();
  map.outer = static_cast<int>(rank) - 1;
  for (size_t k = 0; k < rank; ++k) {
    map.sizes[k] = Divider(plan.dims[k]);
    map.x_strides[k] = plan.strides[0][k];
    map.y_strides[k] = plan.strides[1][k];
  }
  map.x_step = plan.strides[0].back();
  map.y_step = plan.strides[1].back();
  *output = plan.output;
  return map;
}

Status ComputeCudaBinary(OpKernelContext* context, CudaBinaryLoop loop) {
  const Tensor& x = context->input(0);
  const Tensor& y = context->input(1);
  Shape shape;
  ASSIGN_OR_RETURN(const BroadcastMap map, MakeBroadcastMap(x.shape(), y.shape(), &shape));
  const void* left = x.raw();
  const void* right = y.raw();
  ASSIGN_OR_RETURN(Tensor * output, context->ForwardOrAllocateOutput({0, 1}, 0, shape));
  if (map.count == 0) return OkStatus();
  return loop(CudaDeviceOf(context), map, left, right, output->raw());
}

Status ComputeCudaSameShape(OpKernelContext* context, CudaBinaryLoop loop) {
  const Shape& x = context->input(0).shape();
  const Shape& y = context->input(1).shape();
  if (x != y) return InvalidArgument("inputs must have the same shape, not ", x, " and ", y);
  return ComputeCudaBinary(context, loop);
}

Status ComputeCudaUnary(OpKernelContext* context, CudaUnaryLoop loop) {
  const Tensor& x = context->input(0);
  const void* argument = x.raw();
  const int64_t count = x.num_elements();
  ASSIGN_OR_RETURN(Tensor * output, context->ForwardOrAllocateOutput({0}, 0, x.shape()));
  if (count == 0) return OkStatus();
  return loop(CudaDeviceOf(context), count, argument, output->raw());
}

CudaBinaryLoop FindCudaAdd(DType dtype) {
  switch (dtype) {
#define CASE(T) \
  case DTypeOf<T>::value: return CudaBinary<functor::Add, T>;
    TFBUILD_FLOATING_TYPES(CASE)
#undef CASE
    default: return nullptr;
  }
}

namespace {

Status CudaAdd(Device* any, const Tensor& x, const Tensor& y, Tensor* sum) {
  const CudaBinaryLoop add = FindCudaAdd(x.dtype());
  if (add == nullptr) {
    return InvalidArgument("elements of type ", DTypeName(x.dtype()), " are not added on a GPU");
  }
  Shape shape;
  ASSIGN_OR_RETURN(const BroadcastMap map, MakeBroadcastMap(x.shape(), y.shape(), &shape));
  if (map.count == 0) return OkStatus();
  return add(static_cast<CudaDevice*>(any), map, x.raw(), y.raw(), sum->raw());
}

[[maybe_unused]] const bool kAdderIsSet = SetGpuAdder(CudaAdd);

}  // namespace
}  // namespace tfbuild
