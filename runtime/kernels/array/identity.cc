// Identity, StopGradient and PreventGradient: the input itself; they differ for gradients alone.
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {
namespace {

REGISTER_OP("Identity")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .ShapeFunction(UnchangedShape);

REGISTER_OP("StopGradient")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .ShapeFunction(UnchangedShape);

REGISTER_OP("PreventGradient")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("message: string = ''")
    .ShapeFunction(UnchangedShape);

class IdentityOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    context->SetOutput(0, context->input(0));
    return OkStatus();
  }
};

REGISTER_KERNEL(Kernel("Identity").OnCpu(), IdentityOp);
REGISTER_KERNEL(Kernel("Identity").OnGpu(), IdentityOp);
REGISTER_KERNEL(Kernel("StopGradient").OnCpu(), IdentityOp);
REGISTER_KERNEL(Kernel("StopGradient").OnGpu(), IdentityOp);
REGISTER_KERNEL(Kernel("PreventGradient").OnCpu(), IdentityOp);

}  // namespace
}  // namespace tfbuild
