#pragma once

#include <vector>

#include "base/fork.h"
#include "base/thread_pool.h"
#include "executor/executor.h"
#include "executor/trace.h"
#include "kernels/framework/async_op_kernel.h"
#include "kernels/framework/step_context.h"
#include "kernels/framework/variable.h"

namespace tfbuild {

// On the calling thread, in the program's order.
Status RunLinear(const Program& program, StepState* state, StepContext* step);
// Expensive items on the pool, as soon as their inputs are there.
Status RunParallel(const Program& program, ThreadPool* pool, StepState* state, StepContext* step);
// On the calling thread as well, but past kernels that wait, and expensive items on the pool.
Status RunWaiting(const Program& program, ThreadPool* pool, StepState* state, StepContext* step);
// With frames, iterations and dead values, on the calling thread. Feeds are taken from `feeds`, and
// `fetched` gets the entry of each fetch.
Status RunFrames(const Program& program, const std::vector<Tensor>& feeds,
                 std::vector<Entry>* fetched, StepContext* step);

// Looks now and then whether a step must end, or let a fork go: of cheap items before each kPeriod-th
// alone, since reading the clock costs as much as such an item. For one thread.
class StepCheck {
 public:
  static constexpr int kPeriod = 16;
  explicit StepCheck(StepContext* step)
      : step_(step), timed_(step->deadline.has_value() || step->watch != nullptr) {}
  bool IsDue(const Item& item) {
    if (step_->cancellation.cancelled() || fork_waits.load(std::memory_order_relaxed)) return true;
    if (!timed_ || (!item.expensive && --left_ > 0)) return false;
    left_ = kPeriod;
    return true;
  }

 private:
  StepContext* step_;
  const bool timed_;
  int left_ = kPeriod;
};

// Between two items: lets a fork go that waits, and says why the step must end.
inline Status CheckBetweenItems(StepContext* step) {
  LetFork();
  return step->Check();
}

// Some of the items of a program without control flow, on the calling thread, in their order.
Status RunItems(const Program& program, int begin, int end, StepState* state, StepContext* step,
                StepCheck* check);

// Puts what the variable behind a reference holds now into an entry. For a step that must not wait
// (StepContext::may_wait), Unavailable where somebody else has the variable.
Status ReadVariable(const VariableRead& read, const Entry& from, Entry* to,
                    const StepContext* step);
// The reference that is read; `entry` finds the entry of a slot.
template <typename EntryOf>
const Entry& ReadFrom(const Program& program, const VariableRead& read, const EntryOf& entry) {
  return read.from < program.num_slots ? *entry(read.from) : program.ConstantIn(read.from);
}
// Reads the variables whose values an item wants; `entry` finds the entry of a slot.
template <typename EntryOf>
Status ReadVariables(const Program& program, const Item& item, const StepContext* step,
                     const EntryOf& entry) {
  for (int i = 0; i < item.num_reads; ++i) {
    const VariableRead& read = program.reads[static_cast<size_t>(item.first_read + i)];
    RETURN_IF_ERROR(ReadVariable(read, ReadFrom(program, read, entry), entry(read.to), step));
  }
  return OkStatus();
}

// Calls the kernel of an item; where there is a trace, it notes when the inputs were there.
inline Status RunKernel(const Program& program, const Item& item, const Entry* outputs,
                        OpKernelContext* context, StepTrace* trace, int64_t scheduled = kNow) {
  if (trace == nullptr) return item.kernel->Compute(context);
  return RunTraced(program, item, outputs, context, scheduled, trace);
}

// Begins what an asynchronous item does; `done` hears of an exception as of any other error.
void StartAsync(const Item& item, OpKernelContext* context, const AsyncOpKernel::Done& done);

// The error of an item, with its name.
Status AnnotateItem(const Item& item, const Status& status);
// Internal unless the kernel has set each of its outputs, InvalidArgument where one is not of the type
// that the node states: kernels believe their inputs' types, and what is kept under a name or in a
// handle (variables, tensor arrays, queues) may have been put there by a node that states another.
Status CheckOutputs(const Program& program, const Item& item, const Entry* outputs);

}  // namespace tfbuild
