// The runner of programs without branches whose expensive kernels can run beside each other.
#include <atomic>
#include <condition_variable>
#include <new>
#include <optional>

#include "base/exceptions.h"
#include "base/fork.h"
#include "executor/runners.h"

namespace tfbuild {
namespace {

class ParallelRun {
 public:
  ParallelRun(const Program& program, ThreadPool* pool, StepState* state, StepContext* step)
      : program_(program),
        pool_(pool),
        state_(*state),
        step_(step),
        pending_(std::make_unique<std::atomic<int>[]>(program.items.size())),
        uses_(std::make_unique<std::atomic<int>[]>(program.uses.size())),
        next_(std::make_unique<int[]>(program.items.size())),
        ready_since_(step->trace == nullptr ? 0 : program.items.size()),
        unfinished_(static_cast<int>(program.items.size())) {}

  Status Run() {
    for (size_t i = 0; i < program_.uses.size(); ++i) {
      uses_[i].store(program_.uses[i], std::memory_order_relaxed);
    }
    std::vector<int> ready;
    for (size_t i = 0; i < program_.items.size(); ++i) {
      pending_[i].store(program_.items[i].pending, std::memory_order_relaxed);
      if (program_.items[i].pending == 0) ready.push_back(static_cast<int>(i));
    }
    for (const int index : ready) NoteReady(index);
    for (const int index : ready) RunReady(index);
    const ForkAllowed allowed;  // threads of the pool hold guards; a fork waits for no lock of ours
    std::unique_lock<std::mutex> lock(mutex_);
    step_->Wait(&lock, &done_, [this] { return finished_; });
    return status_;
  }

 private:
  const Item& ItemAt(int index) const { return program_.items[static_cast<size_t>(index)]; }

  // For the trace, where there is one.
  void NoteReady(int index) {
    if (step_->trace != nullptr) ready_since_[static_cast<size_t>(index)] = step_->trace->Now();
  }

  void RunReady(int index) {
    if (ItemAt(index).expensive) {
      try {
        return pool_->Schedule([this, index] { RunFrom(index); });
      } catch (const std::bad_alloc&) {
        // No memory to note it for another thread: this one does it.
      }
    }
    RunFrom(index);
  }

  // Runs an item and, on the same thread, every cheap item that it makes ready. A failed step still
  // counts its items down, so that nobody touches the step after Run has returned. Nothing here
  // needs memory but RunOne: a thread of the pool has nobody to throw to.
  void RunFrom(int first) {
    const StopScope scope(step_);
    std::optional<MemoryWatch> watch;
    if (step_->trace != nullptr) watch.emplace(MemoryWatch::Of::kStep, step_->trace->memory());
    int ready = first;
    next_[static_cast<size_t>(first)] = kNone;
    while (ready != kNone) {
      const Item& item = ItemAt(ready);
      ready = next_[static_cast<size_t>(ready)];
      if (!failed_.load(std::memory_order_acquire)) {
        Status status = RunOne(item);
        if (!status.ok()) {
          std::lock_guard<std::mutex> lock(mutex_);
          if (status_.ok()) status_ = std::move(status);
          failed_.store(true, std::memory_order_release);
        }
      }
      for (int i = 0; i < item.num_successors; ++i) {
        const int successor =
            program_.successors[static_cast<size_t>(item.first_successor + i)].item;
        if (pending_[static_cast<size_t>(successor)].fetch_sub(1) != 1) continue;
        NoteReady(successor);
        if (ItemAt(successor).expensive) {
          RunReady(successor);
        } else {
          next_[static_cast<size_t>(successor)] = ready;
          ready = successor;
        }
      }
      if (unfinished_.fetch_sub(1) == 1) {
        std::lock_guard<std::mutex> lock(mutex_);
        finished_ = true;
        done_.notify_all();
      }
    }
  }

  Status RunOne(const Item& item) {
    try {
      return Compute(item);
    } catch (...) {
      return AnnotateItem(item, StatusOfException());
    }
  }

  Status Compute(const Item& item) {
    // Several threads are here: each looks before what may take long.
    LetFork();
    if (item.expensive || step_->cancellation.cancelled()) RETURN_IF_ERROR(step_->Check());
    Entry* const slots = state_.slots.data();
    RETURN_IF_ERROR(ReadVariables(program_, item, step_, [slots](int slot) { return slots + slot; }));
    const auto is_last = std::make_unique<bool[]>(static_cast<size_t>(item.num_inputs) + 1);
    for (int i = 0; i < item.num_inputs; ++i) {
      const int slot = program_.inputs[static_cast<size_t>(item.first_input + i)];
      // One use is left: mine. (Of a slot that is read twice here, two are.)
      is_last[static_cast<size_t>(i)] =
          slot < program_.num_slots &&
          uses_[static_cast<size_t>(slot)].load(std::memory_order_acquire) == 1;
    }
    Entry* const outputs = slots + item.first_output;
    OpKernelContext context({item.node, item.device, state_.inputs.data() + item.first_input,
                             outputs, program_.input_on_host.get() + item.first_input,
                             program_.output_on_host.get() + item.first_output, is_last.get(),
                             step_, nullptr, item.is_read});
    const size_t index = static_cast<size_t>(&item - program_.items.data());
    const int64_t since = ready_since_.empty() ? 0 : ready_since_[index];
    const Status status = RunKernel(program_, item, outputs, &context, step_->trace, since);
    if (!status.ok()) return AnnotateItem(item, status);
    RETURN_IF_ERROR(CheckOutputs(program_, item, outputs));
    Release(item);
    return OkStatus();
  }

  void Release(const Item& item) {
    Entry* const slots = state_.slots.data();
    const auto use = [&](int slot) {
      if (slot >= program_.num_slots) return;
      if (uses_[static_cast<size_t>(slot)].fetch_sub(1, std::memory_order_acq_rel) == 1) {
        slots[slot].Clear();
      }
    };
    for (int i = 0; i < item.num_inputs; ++i) {
      use(program_.inputs[static_cast<size_t>(item.first_input + i)]);
    }
    for (int i = 0; i < item.num_reads; ++i) {
      use(program_.reads[static_cast<size_t>(item.first_read + i)].from);
    }
    for (int i = 0; i < item.num_outputs; ++i) {
      const int slot = item.first_output + i;
      if (program_.uses[static_cast<size_t>(slot)] == 0) slots[slot].Clear();
    }
  }

  const Program& program_;
  ThreadPool* pool_;
  StepState& state_;
  StepContext* step_;
  std::unique_ptr<std::atomic<int>[]> pending_;
  std::unique_ptr<std::atomic<int>[]> uses_;
  std::unique_ptr<int[]> next_;  // of each item in the list of ready ones that it is in
  std::vector<int64_t> ready_since_;  // of each item, where the step is traced
  std::atomic<int> unfinished_;
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::condition_variable done_;
  bool finished_ = false;
  Status status_;
};

}  // namespace

Status RunParallel(const Program& program, ThreadPool* pool, StepState* state,
                   StepContext* step) {
  return ParallelRun(program, pool, state, step).Run();
}

}  // namespace tfbuild
