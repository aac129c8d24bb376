#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "kernels/framework/handle_reference.h"
#include "kernels/framework/queue.h"

namespace tfbuild {

// First in, first out.
class FifoStorage final : public QueueStorage {
 public:
  void Put(QueueElement element) override { elements_.push_back(std::move(element)); }
  QueueElement Take() override {
    QueueElement element = std::move(elements_.front());
    elements_.pop_front();
    return element;
  }
  void PutBack(QueueElement element) override { elements_.push_front(std::move(element)); }
  int64_t size() const override { return static_cast<int64_t>(elements_.size()); }

 private:
  std::deque<QueueElement> elements_;
};

// The kernel of an op that makes a queue; ReadSpec adds what its kind has beside the attributes that
// all have.
class QueueOp : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) final {
    QueueSpec spec;
    ASSIGN_OR_RETURN(const SharedName name, SharedName::Of(construction));
    spec.name = name.name;
    ASSIGN_OR_RETURN(spec.capacity, construction.Attr<int64_t>("capacity"));
    ASSIGN_OR_RETURN(spec.dtypes, construction.Attr<std::vector<DType>>("component_types"));
    ASSIGN_OR_RETURN(spec.shapes, construction.Attr<std::vector<PartialShape>>("shapes"));
    RETURN_IF_ERROR(ReadSpec(construction, &spec));
    ASSIGN_OR_RETURN(const std::shared_ptr<Queue> queue, output_.Init(construction, name));
    return queue->Configure(spec, [this](const QueueSpec& chosen) { return MakeStorage(chosen); });
  }
  Status Compute(OpKernelContext* context) final {
    output_.Set(context);
    return OkStatus();
  }

 protected:
  virtual Status ReadSpec(const OpKernelConstruction& construction, QueueSpec* spec) = 0;
  virtual std::unique_ptr<QueueStorage> MakeStorage(const QueueSpec& spec) = 0;

 private:
  HandleOutput<Queue> output_;
};

// What the definitions of all queues have: its name, its output and their attributes.
#define TFBUILD_QUEUE_DEFINITION(name, output)   \
  REGISTER_OP(name)                              \
      .Output(output)                            \
      .Attr("shapes: list(shape) >= 0 = []")     \
      .Attr("capacity: int = -1")                \
      .Attr("container: string = ''")            \
      .Attr("shared_name: string = ''")          \
      .Stateful()

}  // namespace tfbuild
