#pragma once

#include "executor/program.h"
#include "kernels/framework/step_trace.h"

namespace tfbuild {

constexpr int64_t kNow = -1;

// What is known of a run of an item before it begins.
TracedRun BeginTraced(const Program& program, const Item& item, int64_t scheduled,
                      const StepTrace& trace);
// The item has run: notes what its outputs hold, and the run.
void EndTraced(const Program& program, const Item& item, const Entry* outputs, TracedRun run,
               StepTrace* trace);

// Calls the kernel of an item and traces it.
__attribute__((cold)) Status RunTraced(const Program& program, const Item& item,
                                       const Entry* outputs, OpKernelContext* context,
                                       int64_t scheduled, StepTrace* trace);

}  // namespace tfbuild
