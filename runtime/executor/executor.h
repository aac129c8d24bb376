#pragma once

#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "base/thread_pool.h"
#include "executor/program.h"
#include "executor/replay.h"
#include "kernels/framework/step_context.h"
#include "tensor/step_memory.h"

namespace tfbuild {

// What one step of a straight-line or parallel program needs, kept from step to step: a slot for
// each value, and for each input of an item where its value lies.
struct StepState {
  explicit StepState(const Program& program);
  void Clear();
  std::vector<Entry> slots;
  std::vector<Entry*> inputs;
  std::list<Replay> replays;  // in the order of the items
  StepMemory::Ptr memory;  // of the step that runs, where it has some
};

// Runs a program; may be called by several threads at once. One of three runners does it: where
// nothing branches, the calling thread in order, which costs least, or, with a thread pool and two
// expensive kernels that do not wait for each other, a ready queue; else the one that knows frames,
// iterations and branches not taken.
class Executor {
 public:
  // `pool` may be null.
  Executor(std::unique_ptr<Program> program, ThreadPool* pool)
      : program_(std::move(program)), pool_(pool) {}
  ~Executor() { delete idle_.load(); }

  // One step. `feeds` are host tensors in the signature's order; `fetches` receives host tensors.
  // The first error of a kernel ends the step, and so do the step's cancellation and deadline.
  Status Run(const std::vector<Tensor>& feeds, std::vector<Tensor>* fetches,
             StepContext* step) const;
  const Program& program() const { return *program_; }
  // How many steps lay in a planned block from their beginning to their end.
  int64_t planned_steps() const;
  // How often a segment of items on a GPU was queued as one.
  int64_t replays() const;

 private:
  Status RunStep(const std::vector<Tensor>& feeds, std::vector<Tensor>* fetches,
                 StepContext* step) const;
  Status CheckFeeds(const std::vector<Tensor>& feeds) const;
  bool IsParallel() const { return program_->parallel && pool_ != nullptr; }
  // Whether the steps need a runner that goes on past kernels that wait.
  bool Waits() const { return program_->waits_apart || (program_->waits && IsParallel()); }
  std::unique_ptr<StepState> TakeState() const;
  void GiveBack(std::unique_ptr<StepState> state, const Status& status) const;

  std::unique_ptr<Program> program_;
  ThreadPool* pool_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<StepState>> free_states_;
  mutable std::atomic<StepState*> idle_{nullptr};  // one more, of a tiny program
  mutable MemoryPlanner planner_;
  mutable int64_t replays_ = 0;
};

}  // namespace tfbuild
