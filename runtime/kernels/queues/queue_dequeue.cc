// QueueDequeue, QueueDequeueMany and QueueDequeueUpTo: elements out of a queue, waiting for them.
#include <utility>

#include "graph/shape_context.h"
#include "kernels/framework/async_op_kernel.h"
#include "kernels/framework/queue_op.h"

namespace tfbuild {
namespace {

#define DEFINE(name, handle)                        \
  REGISTER_OP(name)                                 \
      .Input(handle)                                \
      .Output("components: component_types")        \
      .Attr("component_types: list(type) >= 1")     \
      .Attr("timeout_ms: int = -1")                 \
      .Stateful()                                   \
      .ShapeFunction(UnknownShape);
DEFINE("QueueDequeueV2", "handle: resource")
DEFINE("QueueDequeue", "handle: Ref(string)")
#undef DEFINE

#define DEFINE(name, handle)                        \
  REGISTER_OP(name)                                 \
      .Input(handle)                                \
      .Input("n: int32")                            \
      .Output("components: component_types")        \
      .Attr("component_types: list(type) >= 1")     \
      .Attr("timeout_ms: int = -1")                 \
      .Stateful()                                   \
      .ShapeFunction(UnknownShape);
DEFINE("QueueDequeueManyV2", "handle: resource")
DEFINE("QueueDequeueMany", "handle: Ref(string)")
DEFINE("QueueDequeueUpToV2", "handle: resource")
DEFINE("QueueDequeueUpTo", "handle: Ref(string)")
#undef DEFINE

enum class Count { kOne, kMany, kUpTo };

template <Count kCount>
class QueueDequeueOp final : public AsyncOpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(dtypes_, construction.Attr<std::vector<DType>>("component_types"));
    return OkStatus();
  }

  void ComputeAsync(OpKernelContext* context, Done done) override {
    const Result<std::shared_ptr<Queue>> found = SharedAt<Queue>(*context, 0);
    if (!found.ok()) return done(found.status());
    const std::shared_ptr<Queue>& queue = *found;
    const Status fits = queue->CheckTypes(dtypes_);
    if (!fits.ok()) return done(fits);
    const auto taken = [context, queue, done = std::move(done)](const Status& status,
                                                                std::vector<Tensor> components) {
      for (size_t i = 0; i < components.size(); ++i) {
        context->SetOutput(static_cast<int>(i), std::move(components[i]));
      }
      done(status);
    };
    if (kCount == Count::kOne) return queue->Dequeue(context->step(), taken);
    const Tensor& count = context->input(1);
    if (count.rank() != 0) return taken(InvalidArgument("n must be a scalar"), {});
    const int32_t n = *count.data<int32_t>();
    if (n < 0) {
      return taken(InvalidArgument(kCount == Count::kMany ? "DequeueManyOp" : "DequeueUpToOp",
                                   " requested ", n, " < 0 elements"), {});
    }
    queue->DequeueMany(n, kCount == Count::kUpTo, context->step(), taken);
  }

 private:
  std::vector<DType> dtypes_;
};

REGISTER_KERNEL(Kernel("QueueDequeueV2").OnCpu(), QueueDequeueOp<Count::kOne>);
REGISTER_KERNEL(Kernel("QueueDequeue").OnCpu(), QueueDequeueOp<Count::kOne>);
REGISTER_KERNEL(Kernel("QueueDequeueManyV2").OnCpu(), QueueDequeueOp<Count::kMany>);
REGISTER_KERNEL(Kernel("QueueDequeueMany").OnCpu(), QueueDequeueOp<Count::kMany>);
REGISTER_KERNEL(Kernel("QueueDequeueUpToV2").OnCpu(), QueueDequeueOp<Count::kUpTo>);
REGISTER_KERNEL(Kernel("QueueDequeueUpTo").OnCpu(), QueueDequeueOp<Count::kUpTo>);

}  // namespace
}  // namespace tfbuild
