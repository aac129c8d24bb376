// PriorityQueue: the element with the least number in its first component comes out first.
#include <queue>

#include "graph/shape_context.h"
#include "kernels/framework/queue_op.h"

namespace tfbuild {
namespace {

#define DEFINE(name, output)                              \
  REGISTER_OP(name)                                       \
      .Output(output)                                     \
      .Attr("component_types: list(type) >= 0 = []")      \
      .Attr("shapes: list(shape) >= 0")                   \
      .Attr("capacity: int = -1")                         \
      .Attr("container: string = ''")                     \
      .Attr("shared_name: string = ''")                   \
      .Stateful()
DEFINE("PriorityQueueV2", "handle: resource").ShapeFunction(ScalarShape);
DEFINE("PriorityQueue", "handle: Ref(string)").ShapeFunction(UnknownShape);
#undef DEFINE

class PriorityStorage final : public QueueStorage {
 public:
  void Put(QueueElement element) override {
    const int64_t priority = *element[0].data<int64_t>();
    elements_.push({priority, std::move(element)});
  }
  QueueElement Take() override {
    QueueElement element = elements_.top().element;
    elements_.pop();
    return element;
  }
  void PutBack(QueueElement element) override { Put(std::move(element)); }
  int64_t size() const override { return static_cast<int64_t>(elements_.size()); }

 private:
  struct Entry {
    int64_t priority;
    QueueElement element;
    bool operator<(const Entry& other) const { return priority > other.priority; }
  };
  // Not stable: elements of one priority come out as a heap has them, and as in TensorFlow.
  std::priority_queue<Entry> elements_;
};

class PriorityQueueOp final : public QueueOp {
  // The attributes leave the priority out.
  Status ReadSpec(const OpKernelConstruction&, QueueSpec* spec) override {
    spec->kind = "PriorityQueue";
    spec->waits_for_all = true;  // or a batch would not be in the order of its numbers
    if (spec->shapes.size() != spec->dtypes.size()) {
      return InvalidArgument("Shapes must be provided for all components, but received ",
                             spec->shapes.size(), " shapes for ", spec->dtypes.size(),
                             " components.");
    }
    for (const PartialShape& shape : spec->shapes) RETURN_IF_ERROR(shape.ToShape().status());
    spec->dtypes.insert(spec->dtypes.begin(), DType::kInt64);
    spec->shapes.insert(spec->shapes.begin(), PartialShape(Shape{}));
    return OkStatus();
  }
  std::unique_ptr<QueueStorage> MakeStorage(const QueueSpec&) override {
    return std::make_unique<PriorityStorage>();
  }
};

REGISTER_KERNEL(Kernel("PriorityQueueV2").OnCpu(), PriorityQueueOp);
REGISTER_KERNEL(Kernel("PriorityQueue").OnCpu(), PriorityQueueOp);

}  // namespace
}  // namespace tfbuild
