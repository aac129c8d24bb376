// RandomShuffleQueue: elements come out in random order, the same for the same seeds as in TensorFlow.
#include <random>
#include <utility>
#include <vector>

#include "graph/shape_context.h"
#include "kernels/framework/queue_op.h"
#include "kernels/random/philox.h"

namespace tfbuild {
namespace {

TFBUILD_QUEUE_DEFINITION("RandomShuffleQueueV2", "handle: resource")
    .Attr("component_types: list(type) >= 1")
    .Attr("min_after_dequeue: int = 0")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .ShapeFunction(ScalarShape);
TFBUILD_QUEUE_DEFINITION("RandomShuffleQueue", "handle: Ref(string)")
    .Attr("component_types: list(type) >= 1")
    .Attr("min_after_dequeue: int = 0")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .ShapeFunction(UnknownShape);

class ShuffleStorage final : public QueueStorage {
 public:
  explicit ShuffleStorage(const Philox& generator) : generator_(generator) {}
  void Put(QueueElement element) override { elements_.push_back(std::move(element)); }
  QueueElement Take() override {
    if (next_ == 4) {
      words_ = generator_();
      next_ = 0;
    }
    const size_t place = words_.word[next_++] % elements_.size();
    QueueElement element = std::move(elements_[place]);
    if (place + 1 < elements_.size()) elements_[place] = std::move(elements_.back());
    elements_.pop_back();
    return element;
  }
  void PutBack(QueueElement element) override { Put(std::move(element)); }
  int64_t size() const override { return static_cast<int64_t>(elements_.size()); }

 private:
  std::vector<QueueElement> elements_;
  Philox generator_;
  PhiloxWords words_ = {};
  int next_ = 4;
};

class RandomShuffleQueueOp final : public QueueOp {
  Status ReadSpec(const OpKernelConstruction& construction, QueueSpec* spec) override {
    spec->kind = "RandomShuffleQueue";
    ASSIGN_OR_RETURN(spec->min_after_dequeue, construction.Attr<int64_t>("min_after_dequeue"));
    ASSIGN_OR_RETURN(spec->seed, construction.Attr<int64_t>("seed"));
    ASSIGN_OR_RETURN(spec->seed2, construction.Attr<int64_t>("seed2"));
    if (spec->min_after_dequeue < 0) {
      return InvalidArgument("min_after_dequeue ", spec->min_after_dequeue, " must be >= 0");
    }
    if (spec->capacity >= 0 && spec->min_after_dequeue >= spec->capacity) {
      return InvalidArgument("min_after_dequeue ", spec->min_after_dequeue,
                             " must be < capacity ", spec->capacity);
    }
    for (const PartialShape& shape : spec->shapes) RETURN_IF_ERROR(shape.ToShape().status());
    return OkStatus();
  }
  std::unique_ptr<QueueStorage> MakeStorage(const QueueSpec& spec) override {
    uint64_t seed = static_cast<uint64_t>(spec.seed);
    uint64_t seed2 = static_cast<uint64_t>(spec.seed2);
    if (seed == 0 && seed2 == 0) {
      std::random_device device;
      seed = uint64_t{device()} << 32 | device();
      seed2 = uint64_t{device()} << 32 | device();
    }
    return std::make_unique<ShuffleStorage>(Philox(seed, seed2));
  }
};

REGISTER_KERNEL(Kernel("RandomShuffleQueueV2").OnCpu(), RandomShuffleQueueOp);
REGISTER_KERNEL(Kernel("RandomShuffleQueue").OnCpu(), RandomShuffleQueueOp);

}  // namespace
}  // namespace tfbuild
