#pragma once

#include <functional>
#include <memory>

#include "base/fork.h"

namespace tfbuild {

// A number of threads that run what is scheduled, first in first out. They are started when they
// are first needed, and again in the child of a fork(); as many as there are to be had, and without
// any a task runs on the thread that schedules it. The destructor runs what is still queued and
// joins. Any thread may call Schedule; what it schedules must not throw.
class ThreadPool {
 public:
  explicit ThreadPool(int num_threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  void Schedule(std::function<void()> task);
  int size() const { return num_threads_; }

 private:
  class Workers;
  const int num_threads_;
  std::unique_ptr<Workers> workers_;
  RenewedByFork renewed_;
};

}  // namespace tfbuild
