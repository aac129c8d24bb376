// QueueClose, QueueSize and QueueIsClosed.
#include <utility>

#include "graph/shape_context.h"
#include "kernels/framework/async_op_kernel.h"
#include "kernels/framework/queue_op.h"

namespace tfbuild {
namespace {

#define DEFINE(name, handle)                              \
  REGISTER_OP(name)                                       \
      .Input(handle)                                      \
      .Attr("cancel_pending_enqueues: bool = false")      \
      .Stateful()                                         \
      .ShapeFunction(NoOutputs);
DEFINE("QueueCloseV2", "handle: resource")
DEFINE("QueueClose", "handle: Ref(string)")
#undef DEFINE

#define DEFINE(name, handle, output) \
  REGISTER_OP(name).Input(handle).Output(output).Stateful().ShapeFunction(ScalarShape);
DEFINE("QueueSizeV2", "handle: resource", "size: int32")
DEFINE("QueueSize", "handle: Ref(string)", "size: int32")
DEFINE("QueueIsClosedV2", "handle: resource", "is_closed: bool")
DEFINE("QueueIsClosed", "handle: Ref(string)", "is_closed: bool")
#undef DEFINE

class QueueCloseOp final : public AsyncOpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(cancel_, construction.Attr<bool>("cancel_pending_enqueues"));
    return OkStatus();
  }
  void ComputeAsync(OpKernelContext* context, Done done) override {
    const Result<std::shared_ptr<Queue>> found = SharedAt<Queue>(*context, 0);
    if (!found.ok()) return done(found.status());
    (*found)->Close(cancel_, context->step(),
                    [queue = *found, done = std::move(done)](const Status& status) { done(status); });
  }

 private:
  bool cancel_ = false;
};

class QueueSizeOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const std::shared_ptr<Queue> queue, SharedAt<Queue>(*context, 0));
    context->SetOutput(0, Tensor::Scalar(static_cast<int32_t>(queue->size())));
    return OkStatus();
  }
};

class QueueIsClosedOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const std::shared_ptr<Queue> queue, SharedAt<Queue>(*context, 0));
    context->SetOutput(0, Tensor::Scalar(queue->closed()));
    return OkStatus();
  }
};

REGISTER_KERNEL(Kernel("QueueCloseV2").OnCpu(), QueueCloseOp);
REGISTER_KERNEL(Kernel("QueueClose").OnCpu(), QueueCloseOp);
REGISTER_KERNEL(Kernel("QueueSizeV2").OnCpu(), QueueSizeOp);
REGISTER_KERNEL(Kernel("QueueSize").OnCpu(), QueueSizeOp);
REGISTER_KERNEL(Kernel("QueueIsClosedV2").OnCpu(), QueueIsClosedOp);
REGISTER_KERNEL(Kernel("QueueIsClosed").OnCpu(), QueueIsClosedOp);

}  // namespace
}  // namespace tfbuild
