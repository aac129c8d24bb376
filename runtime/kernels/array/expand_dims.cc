// ExpandDims and Squeeze: put in or take out dimensions of size 1.
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/shape_inputs.h"

namespace tfbuild {
namespace {

// Where the new dimension goes, from -rank-1 to rank.
Result<int> NewAxis(int64_t axis, int rank) {
  if (axis < -rank - 1 || axis > rank) {
    return InvalidArgument("Tried to expand dim index ", axis, " for tensor with ", rank,
                           " dimensions.");
  }
  return static_cast<int>(axis < 0 ? axis + rank + 1 : axis);
}

Status ExpandDimsShape(ShapeContext* context) {
  const PartialShape& input = context->input(0);
  if (!input.known_rank()) return OkStatus();
  ASSIGN_OR_RETURN(const std::optional<int64_t> known, KnownScalar(*context, 1));
  if (!known) {
    context->set_output(0, PartialShape::UnknownOfRank(input.rank() + 1));
    return OkStatus();
  }
  ASSIGN_OR_RETURN(const int axis, NewAxis(*known, input.rank()));
  std::vector<int64_t> dims = input.dims();
  dims.insert(dims.begin() + axis, 1);
  context->set_output(0, PartialShape(std::move(dims)));
  return OkStatus();
}

// Dimensions without those to squeeze: all of size 1 when no axes are given. With unknown
// dimensions the rank may be unknown too.
Result<PartialShape> Squeezed(const PartialShape& input, const std::vector<int64_t>& axes) {
  std::vector<bool> squeeze(static_cast<size_t>(input.rank()), false);
  for (const int64_t given : axes) {
    ASSIGN_OR_RETURN(const int axis, CanonicalAxis(given, input.rank()));
    squeeze[static_cast<size_t>(axis)] = true;
  }
  std::vector<int64_t> dims;
  for (int i = 0; i < input.rank(); ++i) {
    const int64_t dim = input.dim(i);
    const bool asked = squeeze[static_cast<size_t>(i)];
    if (axes.empty() && dim == kUnknownDim) return PartialShape();
    if (asked && dim != 1 && dim != kUnknownDim) {
      return InvalidArgument("Can not squeeze dim[", i, "], expected a dimension of 1, got ", dim);
    }
    if (!asked && !(axes.empty() && dim == 1)) dims.push_back(dim);
  }
  return PartialShape(std::move(dims));
}

Status SqueezeShape(ShapeContext* context) {
  if (!context->input(0).known_rank()) return OkStatus();
  ASSIGN_OR_RETURN(const auto axes, context->Attr<std::vector<int64_t>>("squeeze_dims"));
  ASSIGN_OR_RETURN(PartialShape shape, Squeezed(context->input(0), axes));
  context->set_output(0, std::move(shape));
  return OkStatus();
}

REGISTER_OP("ExpandDims")
    .Input("input: T")
    .Input("dim: Tdim")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tdim: {int32, int64} = DT_INT32")
    .ShapeFunction(ExpandDimsShape);

REGISTER_OP("Squeeze")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("squeeze_dims: list(int) >= 0 = []")
    .ShapeFunction(SqueezeShape);

Status SetReshaped(OpKernelContext* context, std::vector<int64_t> dims) {
  ASSIGN_OR_RETURN(const Shape shape, Shape::Make(std::move(dims)));
  ASSIGN_OR_RETURN(Tensor output, context->input(0).Reshaped(shape));
  context->SetOutput(0, std::move(output));
  return OkStatus();
}

class ExpandDimsOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    ASSIGN_OR_RETURN(const int64_t given, ScalarFrom(context->input(1), "dim"));
    ASSIGN_OR_RETURN(const int axis, NewAxis(given, input.rank()));
    std::vector<int64_t> dims = input.shape().dims();
    dims.insert(dims.begin() + axis, 1);
    return SetReshaped(context, std::move(dims));
  }
};

class SqueezeOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(axes_, construction.Attr<std::vector<int64_t>>("squeeze_dims"));
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const PartialShape shape, Squeezed(context->input(0).shape(), axes_));
    return SetReshaped(context, shape.dims());
  }

 private:
  std::vector<int64_t> axes_;
};

REGISTER_KERNEL(Kernel("ExpandDims").OnCpu(), ExpandDimsOp);
REGISTER_KERNEL(Kernel("ExpandDims").OnGpu().HostMemory("dim"), ExpandDimsOp);
REGISTER_KERNEL(Kernel("Squeeze").OnCpu(), SqueezeOp);
REGISTER_KERNEL(Kernel("Squeeze").OnGpu(), SqueezeOp);

}  // namespace
}  // namespace tfbuild
