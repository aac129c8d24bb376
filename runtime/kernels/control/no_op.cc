// NoOp: does nothing; other nodes wait for it or it waits for them.
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {
namespace {

REGISTER_OP("NoOp").ShapeFunction(NoOutputs);

class NoOpKernel final : public OpKernel {
 public:
  Status Compute(OpKernelContext*) override { return OkStatus(); }
};

REGISTER_KERNEL(Kernel("NoOp").OnCpu(), NoOpKernel);
REGISTER_KERNEL(Kernel("NoOp").OnGpu(), NoOpKernel);

}  // namespace
}  // namespace tfbuild
