// Pad and PadV2: a border of zeros, or of one value, around a tensor.
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/shape_inputs.h"
#include "kernels/framework/strided_copy.h"

namespace tfbuild {
namespace {

// The 2 * rank numbers before and after each dimension, none negative.
Result<std::vector<int64_t>> PaddingsFrom(const Tensor& paddings, int rank) {
  if (paddings.rank() != 2 || paddings.dim(0) != rank || paddings.dim(1) != 2) {
    return InvalidArgument("paddings must have shape [", rank, ",2] for a tensor of rank ", rank,
                           ", not ", paddings.shape());
  }
  ASSIGN_OR_RETURN(const Tensor flat, paddings.Reshaped(Shape{2 * rank}));
  ASSIGN_OR_RETURN(std::vector<int64_t> values, IntsFrom(flat));
  for (const int64_t value : values) {
    if (value < 0) return InvalidArgument("Paddings must be non-negative, not ", value);
    if (value > kMaxElements) return InvalidArgument("padding ", value, " is too large");
  }
  return values;
}

Status PadShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRank(1, 2).status());
  const PartialShape& input = context->input(0);
  const Tensor* paddings = context->input_tensor(1);
  if (!input.known_rank()) {
    const PartialShape& shape = context->input(1);
    if (shape.known_rank() && shape.dim(0) >= 0 && shape.dim(0) <= kMaxRank) {
      context->set_output(0, PartialShape::UnknownOfRank(static_cast<int>(shape.dim(0))));
    }
    return OkStatus();
  }
  std::vector<int64_t> dims(static_cast<size_t>(input.rank()), kUnknownDim);
  if (paddings != nullptr) {
    ASSIGN_OR_RETURN(const std::vector<int64_t> values, PaddingsFrom(*paddings, input.rank()));
    for (size_t k = 0; k < dims.size(); ++k) {
      const int64_t dim = input.dim(static_cast<int>(k));
      if (dim != kUnknownDim) dims[k] = dim + values[2 * k] + values[2 * k + 1];
    }
  }
  context->set_output(0, PartialShape(std::move(dims)));
  return OkStatus();
}

REGISTER_OP("Pad")
    .Input("input: T")
    .Input("paddings: Tpaddings")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tpaddings: {int32, int64} = DT_INT32")
    .ShapeFunction(PadShape);

REGISTER_OP("PadV2")
    .Input("input: T")
    .Input("paddings: Tpaddings")
    .Input("constant_values: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tpaddings: {int32, int64} = DT_INT32")
    .ShapeFunction(PadShape);

class PadOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    ASSIGN_OR_RETURN(const std::vector<int64_t> paddings,
                     PaddingsFrom(context->input(1), input.rank()));
    std::vector<int64_t> dims = input.shape().dims();
    for (size_t k = 0; k < dims.size(); ++k) dims[k] += paddings[2 * k] + paddings[2 * k + 1];
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make(std::move(dims)));
    if (shape == input.shape()) {
      context->SetOutput(0, input);
      return OkStatus();
    }
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    RETURN_IF_ERROR(SetBorder(context, output));
    StridedCopy copy;
    copy.dims = input.shape().dims();
    copy.from_strides = DenseStrides(copy.dims);
    copy.to_strides = DenseStrides(shape.dims());
    for (size_t k = 0; k < copy.dims.size(); ++k) copy.to += paddings[2 * k] * copy.to_strides[k];
    return RunStridedCopy(context, copy, input, output);
  }

 private:
  static Status SetBorder(OpKernelContext* context, Tensor* output) {
    if (context->num_inputs() < 3) return RunZero(context, output);
    const Tensor& value = context->input(2);
    if (value.num_elements() != 1) {
      return InvalidArgument("constant_values must be a scalar, not of shape ", value.shape());
    }
    return RunFill(context, value, output);
  }
};

REGISTER_KERNEL(Kernel("Pad").OnCpu(), PadOp);
REGISTER_KERNEL(Kernel("Pad").OnGpu().HostMemory("paddings"), PadOp);
REGISTER_KERNEL(Kernel("PadV2").OnCpu(), PadOp);
REGISTER_KERNEL(Kernel("PadV2").OnGpu().HostMemory("paddings"), PadOp);

}  // namespace
}  // namespace tfbuild
