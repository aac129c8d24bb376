// IdentityN: all inputs themselves; a function's results and arguments pass it to have one gradient.
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {
namespace {

Status SameShapes(ShapeContext* context) {
  for (int i = 0; i < context->num_inputs(); ++i) context->set_output(i, context->input(i));
  return OkStatus();
}

REGISTER_OP("IdentityN")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: list(type) >= 1")
    .ShapeFunction(SameShapes);

class IdentityNOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    for (int i = 0; i < context->num_inputs(); ++i) context->SetOutput(i, context->input(i));
    return OkStatus();
  }
};

REGISTER_KERNEL(Kernel("IdentityN").OnCpu(), IdentityNOp);
REGISTER_KERNEL(Kernel("IdentityN").OnGpu(), IdentityNOp);

}  // namespace
}  // namespace tfbuild
