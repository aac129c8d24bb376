// FIFOQueue: elements come out in the order in which they were put in.
#include "graph/shape_context.h"
#include "kernels/framework/queue_op.h"

namespace tfbuild {
namespace {

TFBUILD_QUEUE_DEFINITION("FIFOQueueV2", "handle: resource")
    .Attr("component_types: list(type) >= 1")
    .ShapeFunction(ScalarShape);
TFBUILD_QUEUE_DEFINITION("FIFOQueue", "handle: Ref(string)")
    .Attr("component_types: list(type) >= 1")
    .ShapeFunction(UnknownShape);

class FifoQueueOp final : public QueueOp {
  Status ReadSpec(const OpKernelConstruction&, QueueSpec* spec) override {
    spec->kind = "FIFOQueue";
    for (const PartialShape& shape : spec->shapes) {
      RETURN_IF_ERROR(shape.ToShape().status());
    }
    return OkStatus();
  }
  std::unique_ptr<QueueStorage> MakeStorage(const QueueSpec&) override {
    return std::make_unique<FifoStorage>();
  }
};

REGISTER_KERNEL(Kernel("FIFOQueueV2").OnCpu(), FifoQueueOp);
REGISTER_KERNEL(Kernel("FIFOQueue").OnCpu(), FifoQueueOp);

}  // namespace
}  // namespace tfbuild
