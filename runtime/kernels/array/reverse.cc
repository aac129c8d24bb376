// ReverseV2: a tensor with the order of its elements along some axes turned round.
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/shape_inputs.h"
#include "kernels/framework/strided_copy.h"

namespace tfbuild {
namespace {

// Which dimensions are turned round; an axis that is named twice is an error.
Result<std::vector<bool>> TurnedAxes(const std::vector<int64_t>& axes, int rank) {
  std::vector<bool> turned(static_cast<size_t>(rank), false);
  for (const int64_t given : axes) {
    ASSIGN_OR_RETURN(const int axis, CanonicalAxis(given, rank));
    if (turned[static_cast<size_t>(axis)]) {
      return InvalidArgument("axis ", axis, " specified more than once.");
    }
    turned[static_cast<size_t>(axis)] = true;
  }
  return turned;
}

Status ReverseShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRank(1, 1).status());
  ASSIGN_OR_RETURN(const auto axes, KnownInts(*context, 1));
  if (axes && context->input(0).known_rank()) {
    RETURN_IF_ERROR(TurnedAxes(*axes, context->input(0).rank()).status());
  }
  return UnchangedShape(context);
}

REGISTER_OP("ReverseV2")
    .Input("tensor: T")
    .Input("axis: Tidx")
    .Output("output: T")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .Attr("T: type")
    .ShapeFunction(ReverseShape);

class ReverseOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    ASSIGN_OR_RETURN(const std::vector<int64_t> axes, VectorFrom(context->input(1), "axis"));
    ASSIGN_OR_RETURN(const std::vector<bool> turned, TurnedAxes(axes, input.rank()));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, input.shape()));
    if (input.num_elements() == 0) return OkStatus();
    StridedCopy copy;
    copy.dims = input.shape().dims();
    copy.from_strides = copy.to_strides = DenseStrides(copy.dims);
    for (size_t k = 0; k < copy.dims.size(); ++k) {
      if (!turned[k]) continue;
      copy.from += (copy.dims[k] - 1) * copy.from_strides[k];
      copy.from_strides[k] = -copy.from_strides[k];
    }
    return RunStridedCopy(context, copy, input, output);
  }
};

REGISTER_KERNEL(Kernel("ReverseV2").OnCpu(), ReverseOp);
REGISTER_KERNEL(Kernel("ReverseV2").OnGpu().HostMemory("axis"), ReverseOp);

}  // namespace
}  // namespace tfbuild
