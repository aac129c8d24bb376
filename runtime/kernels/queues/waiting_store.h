#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>

#include "kernels/framework/async_op_kernel.h"
#include "kernels/framework/resource_manager.h"
#include "kernels/framework/step_context.h"

namespace tfbuild {

// What steps put something into and take it out of, and where they wait, without a thread, until that
// can be. Who came first is served first among those that can be served. Thread-safe.
class WaitingStore : public Resource, public std::enable_shared_from_this<WaitingStore> {
 public:
  using Done = std::function<void(const Status&)>;

 protected:
  // Whether an attempt has ended, and then how; called with the lock held.
  using Attempt = std::function<bool(Status*)>;

  // Tries at once, and again whenever an attempt of somebody has ended; then calls `done` once, without
  // the lock, on the thread that made it possible. Soon when the step is cancelled.
  void Try(StepContext* step, Attempt attempt, Done done);

  mutable std::mutex mutex_;

 private:
  struct Waiting {
    int64_t id;
    StepContext* step;
    Attempt attempt;
    Done done;
    Status status;
    int64_t token = -1;  // of no waker
  };
  void Progress(std::list<Waiting>* ended);
  void Cancel(int64_t id);
  static void End(std::list<Waiting> ended);

  int64_t next_id_ = 0;
  std::list<Waiting> waiting_;
};

}  // namespace tfbuild
