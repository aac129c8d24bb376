#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "graph/attrs.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/resource_manager.h"
#include "kernels/framework/step_context.h"

namespace tfbuild {

// A function of the graph, ready to be called by kernels; what has state in it goes on where it was in
// the call before, whoever called. Thread-safe.
class CallableFunction {
 public:
  virtual ~CallableFunction() = default;
  // Runs the function within `around`, the step of whoever asks: that step's end ends it. Arguments
  // and results lie on the host.
  virtual Status Call(StepContext* around, const std::vector<Tensor>& arguments,
                      std::vector<Tensor>* results) const = 0;
  virtual const std::vector<DType>& argument_types() const = 0;
  virtual const std::vector<DType>& result_types() const = 0;
  // Whether calls give other numbers, by a seed, than the calls before.
  virtual bool draws_by_seed() const { return false; }
};

// How kernels of a session call functions of its graph, and what they leave running behind their
// steps. The session fills it in; kernels that are made find it among its resources. Thread-safe.
class FunctionRuntime final : public Resource {
 public:
  static constexpr char kKind[] = "functions";
  using Maker = std::function<Result<std::shared_ptr<CallableFunction>>(const FunctionAttr&)>;

  // That of a session; never null.
  static std::shared_ptr<FunctionRuntime> Of(ResourceManager* resources) {
    const int64_t handle = resources->Handle<FunctionRuntime>("", "functions");
    Result<std::shared_ptr<FunctionRuntime>> found =
        resources->FindOrCreate<FunctionRuntime>(handle);
    return found.ok() ? *std::move(found) : std::make_shared<FunctionRuntime>();
  }

  // Set once, before any kernel is made.
  void set_maker(Maker maker) { maker_ = std::move(maker); }

  // The function that an attribute names, always the same. Unimplemented outside of sessions.
  Result<std::shared_ptr<CallableFunction>> Find(const FunctionAttr& function) {
    const std::string key = StrCat(function.name, "|", function.encoded);
    std::lock_guard<std::recursive_mutex> lock(mutex_);
    const auto known = made_.find(key);
    if (known != made_.end()) return known->second;
    if (!maker_) return Unimplemented("only a session has functions: ", function.name);
    ASSIGN_OR_RETURN(made_[key], maker_(function));
    return made_[key];
  }

  // As Find, but a new one for whoever has to draw the same numbers by a seed as others did.
  Result<std::shared_ptr<CallableFunction>> FindOrBegin(const FunctionAttr& function) {
    ASSIGN_OR_RETURN(std::shared_ptr<CallableFunction> found, Find(function));
    if (!found->draws_by_seed()) return found;
    std::lock_guard<std::recursive_mutex> lock(mutex_);
    if (!maker_) return Unimplemented("the session has ended: ", function.name);
    return maker_(function);
  }

  // What runs behind the session's steps does so within this one, which ends when the session closes.
  StepContext* background() { return &background_; }

  // Has `end` called when the session ends, before its functions go, unless `owner` has gone by then.
  void AtEnd(const std::weak_ptr<Resource>& owner, std::function<void()> end) {
    std::lock_guard<std::recursive_mutex> lock(mutex_);
    ends_.emplace_back(owner, std::move(end));
  }
  // Called once, by the session.
  void End() {
    background_.Fail(Status(Code::kCancelled, "the session has ended"));
    std::vector<std::pair<std::weak_ptr<Resource>, std::function<void()>>> ends;
    {
      std::lock_guard<std::recursive_mutex> lock(mutex_);
      ends.swap(ends_);
    }
    for (const auto& [owner, end] : ends) {
      if (const std::shared_ptr<Resource> kept = owner.lock()) end();
    }
    std::lock_guard<std::recursive_mutex> lock(mutex_);
    made_.clear();
    maker_ = nullptr;
  }

 private:
  Maker maker_;
  std::recursive_mutex mutex_;  // a function's kernels may look for functions
  StepContext background_{0};
  std::map<std::string, std::shared_ptr<CallableFunction>> made_;
  std::vector<std::pair<std::weak_ptr<Resource>, std::function<void()>>> ends_;
};

// A step within another one, for a function or for what runs behind steps: ends with that one, and
// by the same deadline and watch.
class InnerStep {
 public:
  // `around` must outlive this.
  InnerStep(StepContext* around, int64_t id, ResourceManager* resources)
      : step_(id, resources), link_(std::make_shared<Link>()), around_(&around->cancellation) {
    step_.deadline = around->deadline;
    step_.watch = around->watch;
    step_.is_inner = true;
    link_->step = &step_;
    const auto wake = [link = link_, around] {
      std::lock_guard<std::mutex> lock(link->mutex);
      if (link->step != nullptr) link->step->Fail(around->cancellation.status());
    };
    linked_ = around_->Register(&token_, wake);
    if (!linked_) step_.Fail(around_->status());
  }
  ~InnerStep() {
    if (linked_) around_->Deregister(token_);
    std::lock_guard<std::mutex> lock(link_->mutex);  // one that has begun ends first
    link_->step = nullptr;
  }
  InnerStep(const InnerStep&) = delete;
  InnerStep& operator=(const InnerStep&) = delete;
  StepContext* get() { return &step_; }

 private:
  struct Link {
    std::mutex mutex;
    StepContext* step = nullptr;
  };
  StepContext step_;
  std::shared_ptr<Link> link_;
  Cancellation* around_;
  int64_t token_ = 0;
  bool linked_ = false;
};

}  // namespace tfbuild
