// _Read: what a variable holds now. A pass puts it where a caller fetches a reference.
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {
namespace {

REGISTER_OP("_Read")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .Stateful()
    .ShapeFunction(UnchangedShape);

class ReadOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    context->SetOutput(0, context->input(0));
    return OkStatus();
  }
};

REGISTER_KERNEL(Kernel("_Read").OnCpu(), ReadOp);
REGISTER_KERNEL(Kernel("_Read").OnGpu(), ReadOp);

}  // namespace
}  // namespace tfbuild
