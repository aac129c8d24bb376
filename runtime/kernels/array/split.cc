// Split: equal pieces along an axis.
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/shape_inputs.h"
#include "kernels/framework/strided_copy.h"

namespace tfbuild {
namespace {

Status CheckPieces(int64_t dim, int axis, int64_t pieces) {
  if (dim % pieces == 0) return OkStatus();
  return InvalidArgument(
      "Number of ways to split should evenly divide the split dimension, but got split_dim ", axis,
      " (size = ", dim, ") and num_split ", pieces);
}

Status SplitShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRank(0, 0).status());
  const PartialShape& value = context->input(1);
  ASSIGN_OR_RETURN(const auto given, KnownScalar(*context, 0));
  PartialShape output;
  if (value.known_rank() && given) {
    ASSIGN_OR_RETURN(const int axis, CanonicalAxis(*given, value.rank()));
    std::vector<int64_t> dims = value.dims();
    int64_t& dim = dims[static_cast<size_t>(axis)];
    if (dim != kUnknownDim) {
      RETURN_IF_ERROR(CheckPieces(dim, axis, context->num_outputs()));
      dim /= context->num_outputs();
    }
    output = PartialShape(std::move(dims));
  } else if (value.known_rank()) {
    output = PartialShape::UnknownOfRank(value.rank());
  }
  for (int i = 0; i < context->num_outputs(); ++i) context->set_output(i, output);
  return OkStatus();
}

REGISTER_OP("Split")
    .Input("split_dim: int32")
    .Input("value: T")
    .Output("output: num_split * T")
    .Attr("num_split: int >= 1")
    .Attr("T: type")
    .ShapeFunction(SplitShape);

class SplitOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& value = context->input(1);
    const int pieces = context->num_outputs();
    ASSIGN_OR_RETURN(const int axis, AxisFrom(context->input(0), value.rank()));
    RETURN_IF_ERROR(CheckPieces(value.dim(axis), axis, pieces));
    std::vector<int64_t> dims = value.shape().dims();
    dims[static_cast<size_t>(axis)] /= pieces;
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make(std::move(dims)));
    if (pieces == 1) {
      context->SetOutput(0, value);
      return OkStatus();
    }
    // Rows of the value, each of which gives every piece a part.
    const int64_t stride = DenseStrides(value.shape().dims())[static_cast<size_t>(axis)];
    for (int i = 0; i < pieces; ++i) {
      ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(i, shape));
      if (shape.num_elements() == 0) continue;
      const int64_t part = stride * shape.dim(axis);
      StridedCopy copy;
      copy.AddDim(shape.num_elements() / part, part * pieces, part);
      copy.AddDim(part, 1, 1);
      copy.from = i * part;
      RETURN_IF_ERROR(RunStridedCopy(context, copy, value, output));
    }
    return OkStatus();
  }
};

REGISTER_KERNEL(Kernel("Split").OnCpu(), SplitOp);
REGISTER_KERNEL(Kernel("Split").OnGpu().HostMemory("split_dim"), SplitOp);

}  // namespace
}  // namespace tfbuild
