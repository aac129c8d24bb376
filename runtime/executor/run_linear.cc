// The runner of straight-line programs, and what all runners share.
#include "base/exceptions.h"
#include "executor/runners.h"

namespace tfbuild {

Status ReadVariable(const VariableRead& read, const Entry& from, Entry* to,
                    const StepContext* step) {
  Tensor& value = to->value;
  if (value.initialized()) value = Tensor();  // not under the lock: its memory may be others' business
  if (from.variable != nullptr) {
    std::unique_lock<std::mutex> lock(from.variable->mutex, std::defer_lock);
    if (step->may_wait) {
      lock.lock();
    } else if (!lock.try_lock()) {
      return Status(Code::kUnavailable, "somebody else has the variable");
    }
    value = from.variable->value;
  }
  if (!value.initialized()) {
    return FailedPrecondition("Attempting to use uninitialized value ", read.source->name());
  }
  if (value.dtype() == read.dtype) return OkStatus();
  return InvalidArgument("the variable ", read.source->name(), " holds ", DTypeName(value.dtype()),
                         ", and the graph says that it holds ", DTypeName(read.dtype));
}

Status AnnotateItem(const Item& item, const Status& status) {
  return status.Annotate(StrCat("{{node ", item.node->name(), "}}"));
}

Status CheckOutputs(const Program& program, const Item& item, const Entry* outputs) {
  const DType* const types = program.type_of_slot.data() + item.first_output;
  for (int i = 0; i < item.num_outputs; ++i) {
    if (outputs[i].dead()) {
      return AnnotateItem(item, Internal("the kernel left output ", i, " unset"));
    }
    const Tensor& value = outputs[i].value;
    if (value.initialized() && value.dtype() != types[i]) {
      return AnnotateItem(item, InvalidArgument("output ", i, " is of type ", DTypeName(value.dtype()),
                                                ", and the node states ", DTypeName(types[i])));
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

// Gives up what nobody needs behind an item.
static void Release(const Program& program, const Item& item, Entry* slots) {
  const int* release = program.releases.data() + item.first_release;
  for (int i = 0; i < item.num_releases; ++i) slots[release[i]].Clear();
}

Status RunItems(const Program& program, int begin_index, int end_index, StepState* state,
                StepContext* step, StepCheck* check) {
  const Item* item = program.items.data() + begin_index;
  const Item* const end = program.items.data() + end_index;
  Entry* const slots = state->slots.data();
  StepTrace* const trace = step->trace;
  try {
    for (; item != end; ++item) {
      if (check->IsDue(*item)) RETURN_IF_ERROR(CheckBetweenItems(step));
      Entry* const outputs = slots + item->first_output;
      const auto entry = [slots](int slot) { return slots + slot; };
      if (item->hands_on_read && trace == nullptr) {  // which shows kernels
        const VariableRead& read = program.reads[static_cast<size_t>(item->first_read)];
        RETURN_IF_ERROR(ReadVariable(read, ReadFrom(program, read, entry), outputs, step));
        Release(program, *item, slots);
        continue;
      }
      if (item->num_reads > 0) RETURN_IF_ERROR(ReadVariables(program, *item, step, entry));
      OpKernelContext context({item->node, item->device, state->inputs.data() + item->first_input,
                               outputs, program.input_on_host.get() + item->first_input,
                               program.output_on_host.get() + item->first_output,
                               program.input_is_last.get() + item->first_input, step, nullptr,
                               item->is_read});
      const Status status = RunKernel(program, *item, outputs, &context, trace);
      if (!status.ok()) return AnnotateItem(*item, status);
      RETURN_IF_ERROR(CheckOutputs(program, *item, outputs));
      Release(program, *item, slots);
    }
  } catch (...) {
    return AnnotateItem(*item, StatusOfException());
  }
  return OkStatus();
}

Status RunLinear(const Program& program, StepState* state, StepContext* step) {
  StepCheck check(step);
  int next = 0;
  // A trace shows kernels, one by one.
  const bool as_one = step->trace == nullptr;
  for (auto replay = state->replays.begin(); as_one && replay != state->replays.end(); ++replay) {
    RETURN_IF_ERROR(RunItems(program, next, replay->begin(), state, step, &check));
    next = replay->end();  // before it may become shorter
    RETURN_IF_ERROR(replay->Run(state, step, &check));
    std::optional<CaptureSegment> rest = replay->TakeRest();
    if (rest) replay = state->replays.emplace(std::next(replay), &program, *std::move(rest));
  }
  const int count = static_cast<int>(program.items.size());
  return RunItems(program, next, count, state, step, &check);
}

}  // namespace tfbuild
