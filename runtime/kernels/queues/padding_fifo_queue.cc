// PaddingFIFOQueue: elements of one batch may differ in size; what is missing to the largest is zero.
#include "graph/shape_context.h"
#include "kernels/framework/queue_op.h"

namespace tfbuild {
namespace {

TFBUILD_QUEUE_DEFINITION("PaddingFIFOQueueV2", "handle: resource")
    .Attr("component_types: list(type) >= 1")
    .ShapeFunction(ScalarShape);
TFBUILD_QUEUE_DEFINITION("PaddingFIFOQueue", "handle: Ref(string)")
    .Attr("component_types: list(type) >= 1")
    .ShapeFunction(UnknownShape);

class PaddingFifoQueueOp final : public QueueOp {
  Status ReadSpec(const OpKernelConstruction&, QueueSpec* spec) override {
    spec->kind = "PaddingFIFOQueue";
    spec->pads = true;
    if (spec->shapes.size() != spec->dtypes.size()) {
      return InvalidArgument("Shapes must be provided for all components, but received ",
                             spec->shapes.size(), " shapes for ", spec->dtypes.size(),
                             " components.");
    }
    for (const PartialShape& shape : spec->shapes) {
      if (!shape.known_rank()) return InvalidArgument("the rank of each component must be known");
    }
    return OkStatus();
  }
  std::unique_ptr<QueueStorage> MakeStorage(const QueueSpec&) override {
    return std::make_unique<FifoStorage>();
  }
};

REGISTER_KERNEL(Kernel("PaddingFIFOQueueV2").OnCpu(), PaddingFifoQueueOp);
REGISTER_KERNEL(Kernel("PaddingFIFOQueue").OnCpu(), PaddingFifoQueueOp);

}  // namespace
}  // namespace tfbuild
