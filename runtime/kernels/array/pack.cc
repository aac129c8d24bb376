// Pack: tensors of one shape side by side along a new axis; Unpack: the reverse.
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/shape_inputs.h"
#include "kernels/framework/strided_copy.h"

namespace tfbuild {
namespace {

Status PackShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const int64_t given, context->Attr<int64_t>("axis"));
  PartialShape merged;
  for (int i = 0; i < context->num_inputs(); ++i) {
    ASSIGN_OR_RETURN(merged, merged.MergeWith(context->input(i)));
  }
  if (!merged.known_rank()) return OkStatus();
  ASSIGN_OR_RETURN(const int axis, CanonicalAxis(given, merged.rank() + 1));
  std::vector<int64_t> dims = merged.dims();
  dims.insert(dims.begin() + axis, context->num_inputs());
  context->set_output(0, PartialShape(std::move(dims)));
  return OkStatus();
}

Status UnpackShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const int64_t given, context->Attr<int64_t>("axis"));
  const PartialShape& value = context->input(0);
  if (!value.known_rank()) return OkStatus();
  ASSIGN_OR_RETURN(const int axis, CanonicalAxis(given, value.rank()));
  const int64_t dim = value.dim(axis);
  if (dim != kUnknownDim && dim != context->num_outputs()) {
    return InvalidArgument("axis ", axis, " of shape ", value, " must have size ",
                           context->num_outputs());
  }
  std::vector<int64_t> dims = value.dims();
  dims.erase(dims.begin() + axis);
  for (int i = 0; i < context->num_outputs(); ++i) context->set_output(i, PartialShape(dims));
  return OkStatus();
}

REGISTER_OP("Pack")
    .Input("values: N * T")
    .Output("output: T")
    .Attr("N: int >= 1")
    .Attr("T: type")
    .Attr("axis: int = 0")
    .ShapeFunction(PackShape);

REGISTER_OP("Unpack")
    .Input("value: T")
    .Output("output: num * T")
    .Attr("num: int >= 0")
    .Attr("T: type")
    .Attr("axis: int = 0")
    .ShapeFunction(UnpackShape);

// Elements of one step along the new axis.
int64_t InnerOf(const Shape& piece, int axis) {
  int64_t inner = 1;
  for (int k = axis; k < piece.rank(); ++k) inner *= piece.dim(k);
  return inner;
}

class PackOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(axis_, construction.Attr<int64_t>("axis"));
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    const Shape& piece = context->input(0).shape();
    const int count = context->num_inputs();
    for (int i = 1; i < count; ++i) {
      if (context->input(i).shape() == piece) continue;
      return InvalidArgument("Shapes of all inputs must match: values[0].shape = ", piece,
                             " != values[", i, "].shape = ", context->input(i).shape());
    }
    ASSIGN_OR_RETURN(const int axis, CanonicalAxis(axis_, piece.rank() + 1));
    std::vector<int64_t> dims = piece.dims();
    dims.insert(dims.begin() + axis, count);
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make(std::move(dims)));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    if (shape.num_elements() == 0) return OkStatus();
    const int64_t inner = InnerOf(piece, axis);
    for (int i = 0; i < count; ++i) {
      StridedCopy copy;
      copy.AddDim(piece.num_elements() / inner, inner, count * inner);
      copy.AddDim(inner, 1, 1);
      copy.to = i * inner;
      RETURN_IF_ERROR(RunStridedCopy(context, copy, context->input(i), output));
    }
    return OkStatus();
  }

 private:
  int64_t axis_ = 0;
};

class UnpackOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(axis_, construction.Attr<int64_t>("axis"));
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    const Tensor& value = context->input(0);
    const int count = context->num_outputs();
    ASSIGN_OR_RETURN(const int axis, CanonicalAxis(axis_, value.rank()));
    if (value.dim(axis) != count) {
      return InvalidArgument("Input shape axis ", axis, " must equal ", count, ", got shape ",
                             value.shape());
    }
    std::vector<int64_t> dims = value.shape().dims();
    dims.erase(dims.begin() + axis);
    ASSIGN_OR_RETURN(const Shape piece, Shape::Make(std::move(dims)));
    for (int i = 0; i < count; ++i) {
      ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(i, piece));
      if (piece.num_elements() == 0) continue;
      const int64_t inner = InnerOf(piece, axis);
      StridedCopy copy;
      copy.AddDim(piece.num_elements() / inner, count * inner, inner);
      copy.AddDim(inner, 1, 1);
      copy.from = i * inner;
      RETURN_IF_ERROR(RunStridedCopy(context, copy, value, output));
    }
    return OkStatus();
  }

 private:
  int64_t axis_ = 0;
};

REGISTER_KERNEL(Kernel("Pack").OnCpu(), PackOp);
REGISTER_KERNEL(Kernel("Pack").OnGpu(), PackOp);
REGISTER_KERNEL(Kernel("Unpack").OnCpu(), UnpackOp);
REGISTER_KERNEL(Kernel("Unpack").OnGpu(), UnpackOp);

}  // namespace
}  // namespace tfbuild
