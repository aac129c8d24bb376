#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "base/status.h"
#include "kernels/framework/rendezvous.h"

namespace tfbuild {

class StepTrace;

// Ends a step early: whoever waits inside it is woken, and nothing new is begun. Thread-safe.
class Cancellation {
 public:
  bool cancelled() const { return cancelled_.load(std::memory_order_acquire); }
  // Why; ok while not cancelled.
  Status status() const;
  // The first reason counts. Calls what is registered, on this thread.
  void Cancel(const Status& why);
  // Calls `wake` once when the step is cancelled. False, and not called, when it is already.
  bool Register(int64_t* token, std::function<void()> wake);
  // When it returns, the callback has ended or will not be called.
  void Deregister(int64_t token);

 private:
  std::atomic<bool> cancelled_{false};
  mutable std::mutex mutex_;
  Status status_;
  int64_t next_token_ = 0;
  std::map<int64_t, std::function<void()>> wakers_;
};

// Something that lives from an op of a step to the step's end: a stack, an array of tensors.
class StepResource {
 public:
  virtual ~StepResource() = default;
};

// What a step says whose time is over.
constexpr char kDeadlineExceeded[] = "the step took longer than its timeout_in_ms";

// What a step has while it runs, shared by its kernels. Thread-safe.
class StepContext {
 public:
  using Clock = std::chrono::steady_clock;
  explicit StepContext(int64_t step_id) : id(step_id) {}

  const int64_t id;
  Cancellation cancellation;
  Rendezvous rendezvous;
  std::optional<Clock::time_point> deadline;
  StepTrace* trace = nullptr;  // set: what runs is noted there

  // Ends the step early with this error: whoever waits is woken.
  void Fail(const Status& why) {
    cancellation.Cancel(why);
    rendezvous.Abort(why);
  }
  // Keeps a resource until the step ends; the number is its handle.
  int64_t Keep(std::shared_ptr<StepResource> resource);
  // The resource behind a handle, as a T; InvalidArgument for what is no handle of a T.
  template <typename T>
  Result<std::shared_ptr<T>> Find(int64_t handle) const {
    std::shared_ptr<T> found = std::dynamic_pointer_cast<T>(Lookup(handle));
    if (found == nullptr) return InvalidArgument("not a handle of this step: ", handle);
    return found;
  }
  void Drop(int64_t handle);

 private:
  std::shared_ptr<StepResource> Lookup(int64_t handle) const;
  mutable std::mutex mutex_;
  int64_t next_handle_ = 1;
  std::map<int64_t, std::shared_ptr<StepResource>> resources_;
};

}  // namespace tfbuild
