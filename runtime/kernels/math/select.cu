// Select and SelectV2 on a GPU: elements of one tensor or the other. Types matter by their size
// alone.
#include "kernels/framework/broadcast.h"
#include "kernels/framework/cuda_launch.cuh"

namespace tfbuild {
namespace {

constexpr int kMaxDims = 8;
constexpr int kOperands = 3;  // condition, then, otherwise

struct SelectMap {
  int64_t count = 0;
  int rank = 0;
  Divider sizes[kMaxDims];
  int64_t strides[kOperands][kMaxDims] = {};
};

template <typename E>
__global__ void SelectKernel(SelectMap map, const bool* condition, const E* yes, const E* no,
                             E* out) {
  for (int64_t i = FirstIndex(); i < map.count; i += IndexStep()) {
    int64_t offsets[kOperands] = {0, 0, 0};
    int64_t index = i;
#pragma unroll 1
    for (int k = map.rank - 1; k >= 0; --k) {
      int64_t coordinate = index;
      index = k == 0 ? 0 : map.sizes[k].Split(&coordinate);
#pragma unroll
      for (int j = 0; j < kOperands; ++j) offsets[j] += coordinate * map.strides[j][k];
    }
    out[i] = condition[offsets[0]] ? yes[offsets[1]] : no[offsets[2]];
  }
}

template <typename E>
Status RunSelect(CudaDevice* device, const SelectMap& map, const Tensor* const* operands,
                 Tensor* out) {
  return Launch(device, LoopOver(*device, map.count), SelectKernel<E>, map,
                operands[0]->data<bool>(), operands[1]->data<E>(), operands[2]->data<E>(),
                out->mutable_data<E>());
}

// Chooses for tensors whose shapes, as given here, broadcast together.
Status Choose(OpKernelContext* context, const Shape& condition) {
  const Tensor* operands[] = {&context->input(0), &context->input(1), &context->input(2)};
  ASSIGN_OR_RETURN(const BroadcastPlan plan,
                   PlanBroadcast({&condition, &operands[1]->shape(), &operands[2]->shape()}));
  if (plan.dims.size() > kMaxDims) {
    return Unimplemented("selecting on a GPU where more than ", kMaxDims, " dimensions stay apart");
  }
  ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, plan.output));
  SelectMap map;
  map.count = plan.output.num_elements();
  if (map.count == 0) return OkStatus();
  map.rank = static_cast<int>(plan.dims.size());
  for (size_t k = 0; k < plan.dims.size(); ++k) {
    map.sizes[k] = Divider(plan.dims[k]);
    for (size_t j = 0; j < kOperands; ++j) map.strides[j][k] = plan.strides[j][k];
  }
  CudaDevice* device = CudaDeviceOf(context);
  switch (DTypeSize(output->dtype())) {
    case 1: return RunSelect<uint8_t>(device, map, operands, output);
    case 2: return RunSelect<uint16_t>(device, map, operands, output);
    case 4: return RunSelect<uint32_t>(device, map, operands, output);
    case 8: return RunSelect<uint64_t>(device, map, operands, output);
    default: return Unimplemented("selecting ", DTypeName(output->dtype()), " on a GPU");
  }
}

class CudaSelectV2Op final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    return Choose(context, context->input(0).shape());
  }
};

// The condition has the shape of the others, or is a vector of choices between rows, or a scalar.
class CudaSelectOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Shape& condition = context->input(0).shape();
    const Shape& yes = context->input(1).shape();
    const Shape& no = context->input(2).shape();
    if (yes != no) {
      return InvalidArgument("'then' and 'else' must have the same shape, but received: ", yes,
                             " vs. ", no);
    }
    if (condition == yes || condition.rank() == 0) return Choose(context, condition);
    if (condition.rank() != 1 || yes.rank() < 1 || condition.dim(0) != yes.dim(0)) {
      return InvalidArgument("condition of shape ", condition, " fits neither the shape ", yes,
                             " of 'then' nor its first dimension");
    }
    std::vector<int64_t> column(static_cast<size_t>(yes.rank()), 1);
    column[0] = condition.dim(0);
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make(std::move(column)));
    return Choose(context, shape);
  }
};

#define REGISTER(T)                                                       \
  REGISTER_KERNEL(Kernel("Select").OnGpu().Type<T>("T"), CudaSelectOp);   \
  REGISTER_KERNEL(Kernel("SelectV2").OnGpu().Type<T>("T"), CudaSelectV2Op);
TFBUILD_FLOATING_TYPES(REGISTER)
REGISTER(int64_t)
REGISTER(bool)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
