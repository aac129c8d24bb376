#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "base/fork.h"
#include "base/status.h"
#include "base/stop.h"
#include "kernels/framework/rendezvous.h"
#include "kernels/framework/resource_manager.h"
#include "tensor/allocator.h"

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
  // The callback will not begin any more. It may be under way on another thread as this returns, which
  // is not waited for, as the caller may hold a lock that it takes: it owns what it touches.
  void Deregister(int64_t token);

 private:
  std::atomic<bool> cancelled_{false};
  mutable std::mutex mutex_;
  Status status_;
  int64_t next_token_ = 0;
  std::map<int64_t, std::function<void()>> wakers_;
};

// What a step says whose time is over.
constexpr char kDeadlineExceeded[] = "the step took longer than its timeout_in_ms";

// Whoever started a step and looks up from time to time, on the thread that runs it: an error, as
// after Ctrl-C, ends the step.
struct StepWatch {
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kPeriod{50};
  std::function<Status()> look;
  std::thread::id thread = std::this_thread::get_id();
  // When to look again; set by the first who asks, as most steps are over before.
  Clock::time_point next{};

  Clock::time_point Next() {
    if (next == Clock::time_point()) next = Clock::now() + kPeriod;
    return next;
  }
};

// What a step has while it runs, shared by its kernels. Thread-safe but for what is set before it
// begins.
class StepContext final : public Stoppable {
 public:
  using Clock = std::chrono::steady_clock;
  // `session_resources` may be null; else kernels find there what their step does not have.
  explicit StepContext(int64_t step_id, ResourceManager* session_resources = nullptr)
      : id(step_id), resources(session_resources) {}

  const int64_t id;
  Cancellation cancellation;
  // What lives from an op of the step to the step's end.
  ResourceManager resources;
  std::optional<Clock::time_point> deadline;
  StepWatch* watch = nullptr;
  StepTrace* trace = nullptr;  // set: what runs is noted there
  bool may_wait = true;   // for what others hold; else it ends with Unavailable, and with no effect
  bool is_inner = false;  // of a function, or of what runs behind steps
  Allocator* memory = nullptr;  // set: where kernels get host memory, in place of CpuAllocator

  // One for this process, unless a remote one takes its place before the step begins.
  Rendezvous& rendezvous() { return *rendezvous_; }
  void set_rendezvous(Rendezvous* rendezvous) { rendezvous_ = rendezvous; }

  // Ends the step early with this error: whoever waits is woken.
  void Fail(const Status& why) {
    cancellation.Cancel(why);
    rendezvous_->Abort(why);
  }
  // Why the step must end now: it was cancelled, its time is over, or its watch says so; the last
  // two cancel it.
  Status Check() final;
  // Waits until `done`, which `wake` announces, holds; what ends the step meanwhile must make it
  // hold, too. Called under ForkAllowed, as what is waited for may fork, or need what a fork has.
  // The lock is given up while the step is cancelled, as that calls back.
  template <typename Done>
  void Wait(std::unique_lock<std::mutex>* lock, std::condition_variable* wake, const Done& done) {
    while (!done()) {
      const std::optional<Clock::time_point> until = NextCheck();
      if (!until) {
        wake->wait(*lock, done);
      } else if (!wake->wait_until(*lock, *until, done)) {
        lock->unlock();
        {
          const ForkGuard guard;  // who waits has given his own up
          static_cast<void>(Check());  // what it finds, it has reported to the step
        }
        lock->lock();
      }
    }
  }

 private:
  bool IsWatchedHere() const {
    return watch != nullptr && watch->thread == std::this_thread::get_id();
  }
  // When somebody who waits on this thread must check the step again, if ever.
  std::optional<Clock::time_point> NextCheck() const;

  LocalRendezvous local_rendezvous_;
  Rendezvous* rendezvous_ = &local_rendezvous_;
};

}  // namespace tfbuild
