#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "executor/executor.h"

namespace tfbuild {

// The state of one step of an executor: the values on their way and, when items run on several
// threads, how many are still awaited.
struct Executor::Step {
  std::vector<Entry> slots;
  std::vector<Tensor>* fetches = nullptr;

  // Used by RunParallel alone.
  std::unique_ptr<std::atomic<int>[]> pending;
  std::unique_ptr<int[]> next;  // of each item in the list of ready ones that it is in
  std::atomic<int> unfinished{0};
  std::atomic<bool> failed{false};
  std::mutex mutex;
  std::condition_variable done;
  bool finished = false;
  Status status;
};

}  // namespace tfbuild
