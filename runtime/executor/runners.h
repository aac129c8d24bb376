#pragma once

#include <vector>

#include "base/thread_pool.h"
#include "executor/executor.h"
#include "executor/trace.h"

namespace tfbuild {


// On the calling thread, in the program's order.
Status RunLinear(const Program& program, StepState* state, StepContext* step);
// Expensive items on the pool, as soon as their inputs are there.
Status RunParallel(const Program& program, ThreadPool* pool, StepState* state, StepContext* step);
// With frames, iterations and dead values, on the calling thread. Feeds are taken from `feeds`, and
// `fetched` gets the entry of each fetch.
Status RunFrames(const Program& program, const std::vector<Tensor>& feeds,
                 std::vector<Entry>* fetched, StepContext* step);

// Why the step must end now: it was cancelled, or its time is over, which cancels it.
Status CheckStep(StepContext* step);
inline bool MustCheck(const StepContext& step) {
  return step.cancellation.cancelled() || step.deadline.has_value();
}

// Puts what the variable behind a reference holds now into an entry.
Status ReadVariable(const VariableRead& read, const Entry& from, Entry* to);
// Reads the variables whose values an item wants; `entry` finds the entry of a slot.
template <typename EntryOf>
Status ReadVariables(const Program& program, const Item& item, const EntryOf& entry) {
  for (int i = 0; i < item.num_reads; ++i) {
    const VariableRead& read = program.reads[static_cast<size_t>(item.first_read + i)];
    RETURN_IF_ERROR(ReadVariable(read, *entry(read.from), entry(read.to)));
  }
  return OkStatus();
}

// Calls the kernel of an item; where there is a trace, it is told when the inputs were there.
inline Status RunKernel(const Program& program, const Item& item, const Entry* outputs,
                        OpKernelContext* context, StepTrace* trace, int64_t scheduled = kNow) {
  if (trace == nullptr) return item.kernel->Compute(context);
  return RunTraced(program, item, outputs, context, scheduled, trace);
}

// The error of an item, with its name.
Status AnnotateItem(const Item& item, const Status& status);
// Internal unless the kernel has set each of its outputs.
Status CheckOutputs(const Item& item, const Entry* outputs);

}  // namespace tfbuild
