// Placeholder, a value that must be fed, and PlaceholderWithDefault, one that may be.
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {
namespace {

Status PlaceholderShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(PartialShape shape, context->Attr<PartialShape>("shape"));
  context->set_output(0, std::move(shape));
  return OkStatus();
}

// What is fed may be anything that fits the attribute, so the default's shape only has to fit too.
Status PlaceholderWithDefaultShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(PartialShape shape, context->Attr<PartialShape>("shape"));
  const Result<PartialShape> merged = shape.MergeWith(context->input(0));
  if (!merged.ok()) return merged.status();
  context->set_output(0, std::move(shape));
  return OkStatus();
}

REGISTER_OP("Placeholder")
    .Output("output: dtype")
    .Attr("dtype: type")
    .Attr("shape: shape = { unknown_rank: true }")
    .ShapeFunction(PlaceholderShape);

REGISTER_OP("PlaceholderWithDefault")
    .Input("input: dtype")
    .Output("output: dtype")
    .Attr("dtype: type")
    .Attr("shape: shape")
    .ShapeFunction(PlaceholderWithDefaultShape);

// Runs only when the session was not fed: a feed takes the node's place.
class PlaceholderOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(const DType dtype, construction.Attr<DType>("dtype"));
    ASSIGN_OR_RETURN(const PartialShape shape, construction.Attr<PartialShape>("shape"));
    message_ = StrCat("You must feed a value for placeholder tensor '", construction.node.name(),
                      "' with dtype ", DTypeName(dtype));
    if (shape.known_rank()) message_ += StrCat(" and shape ", shape);
    return OkStatus();
  }
  Status Compute(OpKernelContext*) override { return InvalidArgument(message_); }

 private:
  std::string message_;
};

class PlaceholderWithDefaultOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    context->SetOutput(0, context->input(0));
    return OkStatus();
  }
};

REGISTER_KERNEL(Kernel("Placeholder").OnCpu(), PlaceholderOp);
REGISTER_KERNEL(Kernel("Placeholder").OnGpu(), PlaceholderOp);
REGISTER_KERNEL(Kernel("PlaceholderWithDefault").OnCpu(), PlaceholderWithDefaultOp);
REGISTER_KERNEL(Kernel("PlaceholderWithDefault").OnGpu(), PlaceholderWithDefaultOp);

}  // namespace
}  // namespace tfbuild
