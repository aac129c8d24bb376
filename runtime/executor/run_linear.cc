// The runner of straight-line programs, and what all runners share.
#include "base/exceptions.h"
#include "executor/runners.h"

namespace tfbuild {

Status ReadVariable(const VariableRead& read, const Entry& from, Entry* to) {
  Tensor value;
  if (from.variable != nullptr) {
    std::lock_guard<std::mutex> lock(from.variable->mutex);
    value = from.variable->value;
  }
  if (!value.initialized()) {
    return FailedPrecondition("attempting to use uninitialized value ", read.source->name());
  }
  to->value = std::move(value);
  return OkStatus();
}

Status AnnotateItem(const Item& item, const Status& status) {
  return status.Annotate(StrCat("{{node ", item.node->name(), "}}"));
}

Status CheckOutputs(const Item& item, const Entry* outputs) {
  for (int i = 0; i < item.num_outputs; ++i) {
    if (outputs[i].dead()) {
      return AnnotateItem(item, Internal("the kernel left output ", i, " unset"));
    }
  }
  return OkStatus();
}

void StartAsync(const Item& item, OpKernelContext* context, const AsyncOpKernel::Done& done) {
  try {
    item.kernel->AsAsync()->ComputeAsync(context, done);
  } catch (...) {
    done(StatusOfException());
  }
}

Status RunLinear(const Program& program, StepState* state, StepContext* step) {
  const Item* item = program.items.data();
  const Item* const end = item + program.items.size();
  Entry* const slots = state->slots.data();
  StepCheck check(step);
  StepTrace* const trace = step->trace;
  try {
    for (; item != end; ++item) {
      if (check.IsDue(*item)) RETURN_IF_ERROR(step->Check());
      if (item->num_reads > 0) {
        RETURN_IF_ERROR(ReadVariables(program, *item, [slots](int slot) { return slots + slot; }));
      }
      Entry* const outputs = slots + item->first_output;
      OpKernelContext context({item->node, item->device, state->inputs.data() + item->first_input,
                               outputs, program.input_on_host.get() + item->first_input,
                               program.output_on_host.get() + item->first_output,
                               program.input_is_last.get() + item->first_input, step});
      const Status status = RunKernel(program, *item, outputs, &context, trace);
      if (!status.ok()) return AnnotateItem(*item, status);
      RETURN_IF_ERROR(CheckOutputs(*item, outputs));
      const int* release = program.releases.data() + item->first_release;
      for (int i = 0; i < item->num_releases; ++i) slots[release[i]] = Entry();
    }
  } catch (...) {
    return AnnotateItem(*item, StatusOfException());
  }
  return OkStatus();
}

}  // namespace tfbuild
