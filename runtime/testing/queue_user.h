#pragma once

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "testing/step_ops.h"

namespace tfbuild {
namespace testing {

// A queue, and what reads from it, used through their kernels in one step. Nothing here may have to
// wait: nobody else would end that.
class QueueUser {
 public:
  QueueUser(const std::string& op, AttrMap attrs) {
    attrs.emplace("shared_name", std::string("q"));
    const auto handle = ops_.First(op, {}, std::move(attrs));
    EXPECT_OK(handle);
    if (handle.ok()) handle_ = *handle;
    types_ = {DType::kInt64};
  }
  QueueUser& Types(std::vector<DType> types) { types_ = std::move(types); return *this; }
  Status Put(const std::string& op, std::vector<Tensor> components) {
    components.insert(components.begin(), handle_);
    return ops_.Call(op, components, {{"Tcomponents", types_}}).status();
  }
  Result<std::vector<Tensor>> Take() {
    return ops_.Call("QueueDequeueV2", {handle_}, {{"component_types", types_}});
  }
  Result<std::vector<Tensor>> Take(const std::string& op, int32_t count) {
    return ops_.Call(op, {handle_, Tensor::Scalar(count)}, {{"component_types", types_}});
  }
  Status Close(bool cancel = false) {
    return ops_.Call("QueueCloseV2", {handle_}, {{"cancel_pending_enqueues", cancel}}).status();
  }
  int32_t size() { return *ops_.First("QueueSizeV2", {handle_}, {})->data<int32_t>(); }
  bool closed() { return *ops_.First("QueueIsClosedV2", {handle_}, {})->data<bool>(); }
  const Tensor& handle() const { return handle_; }
  StepOps* ops() { return &ops_; }

 private:
  StepOps ops_;
  Tensor handle_;
  std::vector<DType> types_;
};

// A reader and a closed queue of names for it.
class ReaderUser {
 public:
  ReaderUser(const std::string& op, AttrMap attrs, std::vector<std::string> names)
      : queue_("FIFOQueueV2", {{"component_types", std::vector<DType>{DType::kString}},
                               {"shapes", std::vector<PartialShape>{PartialShape(Shape{})}}}) {
    queue_.Types({DType::kString});
    const int64_t count = static_cast<int64_t>(names.size());
    EXPECT_OK(queue_.Put("QueueEnqueueManyV2", {Tensor::Strings({count}, std::move(names))}));
    EXPECT_OK(queue_.Close());
    const auto handle = queue_.ops()->First(op, {}, std::move(attrs));
    EXPECT_OK(handle);
    if (handle.ok()) handle_ = *handle;
  }
  // "key=value".
  Result<std::string> Read() {
    ASSIGN_OR_RETURN(const auto record,
                     queue_.ops()->Call("ReaderReadV2", {handle_, queue_.handle()}, {}));
    return StrCat(*record[0].data<std::string>(), "=", *record[1].data<std::string>());
  }
  Result<std::vector<Tensor>> ReadUpTo(int64_t count) {
    return queue_.ops()->Call("ReaderReadUpToV2",
                              {handle_, queue_.handle(), Tensor::Scalar(count)}, {});
  }
  Result<Tensor> Ask(const std::string& op) { return queue_.ops()->First(op, {handle_}, {}); }
  Status Run(const std::string& op, std::vector<Tensor> inputs) {
    inputs.insert(inputs.begin(), handle_);
    return queue_.ops()->Call(op, inputs, {}).status();
  }

 private:
  QueueUser queue_;
  Tensor handle_;
};

// A file of the test that runs, with these bytes; its path.
inline std::string WriteTestFile(const std::string& name, const std::string& bytes) {
  const char* folder = std::getenv("TEST_TMPDIR");
  const std::string path = StrCat(folder == nullptr ? "/tmp" : folder, "/", name);
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

}  // namespace testing
}  // namespace tfbuild
