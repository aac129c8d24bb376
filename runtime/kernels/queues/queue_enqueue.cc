// QueueEnqueue and QueueEnqueueMany: elements into a queue, waiting for room.
#include <utility>

#include "graph/shape_context.h"
#include "kernels/framework/async_op_kernel.h"
#include "kernels/framework/queue_op.h"

namespace tfbuild {
namespace {

#define DEFINE(name, handle)                     \
  REGISTER_OP(name)                              \
      .Input(handle)                             \
      .Input("components: Tcomponents")          \
      .Attr("Tcomponents: list(type) >= 1")      \
      .Attr("timeout_ms: int = -1")              \
      .Stateful()                                \
      .ShapeFunction(NoOutputs);
DEFINE("QueueEnqueueV2", "handle: resource")
DEFINE("QueueEnqueue", "handle: Ref(string)")
DEFINE("QueueEnqueueManyV2", "handle: resource")
DEFINE("QueueEnqueueMany", "handle: Ref(string)")
#undef DEFINE

template <bool kMany>
class QueueEnqueueOp final : public AsyncOpKernel {
 public:
  void ComputeAsync(OpKernelContext* context, Done done) override {
    const Result<std::shared_ptr<Queue>> found = SharedAt<Queue>(*context, 0);
    if (!found.ok()) return done(found.status());
    // The queue lives until it has called back.
    const auto finish = [queue = *found, done = std::move(done)](const Status& status) {
      done(status);
    };
    if (kMany) {  // the queue keeps copies of the rows
      std::vector<Tensor> batch;
      for (int i = 1; i < context->num_inputs(); ++i) batch.push_back(context->input(i));
      return (*found)->EnqueueMany(std::move(batch), context->step(), finish);
    }
    Result<std::vector<Tensor>> element = context->KeptInputs(1, context->num_inputs() - 1);
    if (!element.ok()) return finish(element.status());
    (*found)->Enqueue(*std::move(element), context->step(), finish);
  }
};

REGISTER_KERNEL(Kernel("QueueEnqueueV2").OnCpu(), QueueEnqueueOp<false>);
REGISTER_KERNEL(Kernel("QueueEnqueue").OnCpu(), QueueEnqueueOp<false>);
REGISTER_KERNEL(Kernel("QueueEnqueueManyV2").OnCpu(), QueueEnqueueOp<true>);
REGISTER_KERNEL(Kernel("QueueEnqueueMany").OnCpu(), QueueEnqueueOp<true>);

}  // namespace
}  // namespace tfbuild
