// The runner of programs in which kernels may wait for one another, or for other steps, without an
// edge between them: one puts into a queue what another takes out. The calling thread runs what is
// ready, in the program's order; what waits, and what threads of the pool compute, is gone on from
// here when it has ended.
#include <algorithm>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <queue>

#include "base/exceptions.h"
#include "base/fork.h"
#include "executor/runners.h"

namespace tfbuild {
namespace {

class WaitingRun {
 public:
  WaitingRun(const Program& program, ThreadPool* pool, StepState* state, StepContext* step)
      : program_(program), pool_(pool), state_(*state), step_(step), check_(step),
        pending_(program.items.size()), uses_(program.uses) {
    int most_inputs = 0;
    for (const Item& item : program.items) most_inputs = std::max(most_inputs, item.num_inputs);
    is_last_ = std::make_unique<bool[]>(static_cast<size_t>(most_inputs) + 1);
  }

  Status Run() {
    for (size_t i = 0; i < program_.items.size(); ++i) {
      pending_[i] = program_.items[i].pending;
      if (pending_[i] == 0) MakeReady(static_cast<int>(i));
    }
    Status status;
    while (true) {
      while (!ready_.empty() && status.ok()) {
        const Ready next = ready_.top();
        ready_.pop();
        status = Process(next);
      }
      if (!status.ok()) step_->Fail(status);
      if (calls_ == 0) return status;
      const Status arrived = FinishCalls();
      if (status.ok()) status = arrived;
    }
  }

 private:
  struct Ready {
    int item;
    int64_t since;  // for the trace, where there is one
    bool operator<(const Ready& other) const { return item > other.item; }  // the first on top
  };
  struct Call {
    const Item* item;
    std::unique_ptr<bool[]> is_last;
    std::optional<OpKernelContext> context;
    Status status;
    TracedRun traced;
    Call* next = nullptr;  // of those that have arrived: to say so needs no memory
  };

  void MakeReady(int item) {
    ready_.push({item, step_->trace == nullptr ? 0 : step_->trace->Now()});
  }

  Status Process(const Ready& ready) {
    const Item& item = program_.items[static_cast<size_t>(ready.item)];
    try {
      if (check_.IsDue(item)) RETURN_IF_ERROR(CheckBetweenItems(step_));
      Entry* const slots = state_.slots.data();
      RETURN_IF_ERROR(ReadVariables(program_, item, step_, [slots](int slot) { return slots + slot; }));
      // Another thread is worth it only while there is work for this one.
      if (item.async || (item.expensive && pool_ != nullptr && !ready_.empty())) {
        Start(item, ready.since);
        return OkStatus();
      }
      OpKernelContext context(ParamsOf(item, is_last_.get()));
      Entry* const outputs = slots + item.first_output;
      const Status status =
          RunKernel(program_, item, outputs, &context, step_->trace, ready.since);
      if (!status.ok()) return AnnotateItem(item, status);
      RETURN_IF_ERROR(CheckOutputs(program_, item, outputs));
      Finish(item);
      return OkStatus();
    } catch (...) {
      return AnnotateItem(item, StatusOfException());
    }
  }

  // What a kernel is called with; notes in `is_last` which inputs nobody else reads.
  OpKernelContext::Params ParamsOf(const Item& item, bool* is_last) {
    for (int i = 0; i < item.num_inputs; ++i) {
      const int slot = program_.inputs[static_cast<size_t>(item.first_input + i)];
      is_last[i] = slot < program_.num_slots && uses_[static_cast<size_t>(slot)] == 1;
    }
    return {item.node, item.device, state_.inputs.data() + item.first_input,
            state_.slots.data() + item.first_output,
            program_.input_on_host.get() + item.first_input,
            program_.output_on_host.get() + item.first_output, is_last, step_};
  }

  void Start(const Item& item, int64_t since) {
    auto started = std::make_unique<Call>();
    started->item = &item;
    started->is_last = std::make_unique<bool[]>(static_cast<size_t>(item.num_inputs) + 1);
    started->context.emplace(ParamsOf(item, started->is_last.get()));
    if (step_->trace != nullptr) {
      started->traced = BeginTraced(program_, item, since, *step_->trace);
    }
    ++calls_;
    Call* const call = started.release();  // until FinishCalls takes it back
    const auto done = [this, call](const Status& status) {
      std::lock_guard<std::mutex> lock(mutex_);
      call->status = status;
      if (step_->trace != nullptr) call->traced.op_end = step_->trace->Now();
      call->next = arrived_;
      arrived_ = call;
      wake_.notify_one();
    };
    if (item.async) return StartAsync(item, &*call->context, done);
    const auto compute = [this, call, done] {
      const StopScope scope(step_);
      std::optional<MemoryWatch> watch;
      if (step_->trace != nullptr) watch.emplace(MemoryWatch::Of::kStep, step_->trace->memory());
      done(CatchExceptions([call] { return call->item->kernel->Compute(&*call->context); }));
    };
    try {
      return pool_->Schedule(compute);
    } catch (const std::bad_alloc&) {
      // No memory to notify another thread: this one has time.
    }
    compute();
  }

  // Waits until a call has ended, and goes on behind those that have.
  Status FinishCalls() {
    Call* arrived = nullptr;
    {
      const ForkAllowed allowed;  // threads of the pool hold guards; a fork waits for no lock of ours
      std::unique_lock<std::mutex> lock(mutex_);
      step_->Wait(&lock, &wake_, [this] { return arrived_ != nullptr; });
      std::swap(arrived, arrived_);
    }
    Status status;
    while (arrived != nullptr) {
      const std::unique_ptr<Call> call(arrived);
      arrived = call->next;
      --calls_;
      const Item& item = *call->item;
      Status outcome = AnnotateItem(item, call->status);
      if (outcome.ok()) outcome = CheckOutputs(program_, item, state_.slots.data() + item.first_output);
      if (outcome.ok() && step_->trace != nullptr) {
        EndTraced(program_, item, state_.slots.data() + item.first_output, std::move(call->traced),
                  step_->trace);
      }
      if (outcome.ok()) Finish(item);
      if (status.ok()) status = outcome;
    }
    return status;
  }

  void Finish(const Item& item) {
    for (int i = 0; i < item.num_inputs; ++i) {
      Use(program_.inputs[static_cast<size_t>(item.first_input + i)]);
    }
    for (int i = 0; i < item.num_reads; ++i) {
      Use(program_.reads[static_cast<size_t>(item.first_read + i)].from);
    }
    for (int i = 0; i < item.num_outputs; ++i) {
      const size_t slot = static_cast<size_t>(item.first_output + i);
      if (uses_[slot] == 0) state_.slots[slot].Clear();
    }
    for (int i = 0; i < item.num_successors; ++i) {
      const int next = program_.successors[static_cast<size_t>(item.first_successor + i)].item;
      if (--pending_[static_cast<size_t>(next)] == 0) MakeReady(next);
    }
  }

  void Use(int slot) {
    if (slot < program_.num_slots && --uses_[static_cast<size_t>(slot)] == 0) {
      state_.slots[static_cast<size_t>(slot)].Clear();
    }
  }

  const Program& program_;
  ThreadPool* pool_;
  StepState& state_;
  StepContext* step_;
  StepCheck check_;
  std::vector<int> pending_;
  std::vector<int> uses_;
  std::priority_queue<Ready> ready_;
  std::unique_ptr<bool[]> is_last_;  // of the inputs of the item that this thread runs
  int calls_ = 0;                    // under way
  std::mutex mutex_;
  std::condition_variable wake_;
  Call* arrived_ = nullptr;
};

}  // namespace

Status RunWaiting(const Program& program, ThreadPool* pool, StepState* state, StepContext* step) {
  return WaitingRun(program, pool, state, step).Run();
}

}  // namespace tfbuild
