// The runner of programs with control flow: frames, iterations, and values of branches not taken.
//
// A loop is a frame. Each of its iterations has a slot for each value and a count for each item of
// what it still waits for; values that an Enter brings lie in the first iteration (in all, when they
// are the same in all), those of NextIteration in the next one, those of an Exit outside. An item
// with a dead input is not run, and what it would give is dead too, until a Merge has a live input.
// An iteration ends when nothing in it can run any longer, a frame when its last iteration has.
#include "executor/frame_run.h"

#include "base/exceptions.h"
#include "base/fork.h"

namespace tfbuild {
namespace {

constexpr int kInlineInputs = 8;

}  // namespace

Status RunFrames(const Program& program, const std::vector<Tensor>& feeds,
                 std::vector<Entry>* fetched, StepContext* step) {
  return FrameRun(program, step).Run(feeds, fetched);
}

Status FrameRun::Run(const std::vector<Tensor>& feeds, std::vector<Entry>* fetched) {
  Frame root;
  root.info = &program_.frames[0];
  Iteration* start = Begin(&root);
  for (size_t i = 0; i < feeds.size(); ++i) {
    SlotIn(start, program_.feeds[i].slot)->value = feeds[i];
  }
  for (const int item : root.info->items) MergeFeeds(start, item);
  for (const int item : root.info->items) {
    if (Wait(start, item).pending == 0) MakeReady(start, item);
  }
  const Status status = Drain();
  if (!status.ok()) return status;
  for (size_t i = 0; i < fetched->size(); ++i) {
    const int slot = program_.fetches[i].slot;
    if (slot < program_.num_slots) (*fetched)[i] = *SlotIn(start, slot);
  }
  return OkStatus();
}

// Notifies a Merge of its inputs that are fed: nobody else will.
void FrameRun::MergeFeeds(Iteration* start, int item) {
  if (ItemAt(item).kind != ItemKind::kMerge) return;
  ItemWait& wait = Wait(start, item);
  for (int i = 0; i < ItemAt(item).num_inputs && wait.live == kNone; ++i) {
    for (const Program::Feed& feed : program_.feeds) {
      if (feed.slot != InputSlot(ItemAt(item), i)) continue;
      wait.live = i;
      --wait.pending;
      break;
    }
  }
}

// Until nothing is ready or under way. After an error the rest is dropped, but for calls that
// somebody else still works on.
Status FrameRun::Drain() {
  Status status;
  while (true) {
    while (!ready_.empty() && status.ok()) {
      const Ready next = ready_.front();
      ready_.pop_front();
      status = Process(next);
    }
    if (!status.ok()) step_->Fail(status);
    if (calls_.empty()) return status;
    const Status arrived = FinishCalls();
    if (status.ok()) status = arrived;
  }
}

Status FrameRun::Process(const Ready& ready) {
  const Item& item = ItemAt(ready.item);
  try {
    if (check_.IsDue(item)) RETURN_IF_ERROR(CheckBetweenItems(step_));
    const bool dead = Wait(ready.iteration, ready.item).dead;
    const bool traced = step_->trace != nullptr && !dead && item.kind != ItemKind::kCompute;
    return traced ? ActTraced(ready) : Act(ready, dead);
  } catch (...) {
    return AnnotateItem(item, StatusOfException());
  }
}

Status FrameRun::Act(const Ready& ready, bool dead) {
  const Item& item = ItemAt(ready.item);
  switch (item.kind) {
    case ItemKind::kEnter: return Enter(ready, dead);
    case ItemKind::kExit: return Exit(ready, dead);
    case ItemKind::kNextIteration: return GoRound(ready, dead);
    case ItemKind::kMerge: RETURN_IF_ERROR(Merge(ready)); break;
    case ItemKind::kSwitch:
      if (!dead) RETURN_IF_ERROR(Switch(ready));
      break;
    case ItemKind::kCompute:
      if (dead) break;
      if (item.async) return Call(ready);
      RETURN_IF_ERROR(Compute(ready));
      break;
  }
  Finish(ready, dead);
  return OkStatus();
}

// What calls no kernel: it hands on one of its inputs, which is its output in the trace.
Status FrameRun::ActTraced(const Ready& ready) {
  const Item& item = ItemAt(ready.item);
  TracedRun run = BeginTraced(program_, item, ready.since, *step_->trace);
  int input = 0;
  int output = 0;
  if (item.kind == ItemKind::kMerge) input = Wait(ready.iteration, ready.item).live;
  if (item.kind == ItemKind::kSwitch) {
    const Tensor& predicate = InputEntry(ready.iteration, InputSlot(item, 1))->value;
    const bool valid = predicate.dtype() == DType::kBool && predicate.num_elements() == 1;
    output = valid && *predicate.data<bool>() ? 1 : 0;
  }
  const size_t slot = static_cast<size_t>(item.first_output + output);
  TraceOutput(output, *InputEntry(ready.iteration, InputSlot(item, input)),
              program_.output_on_host[slot], &run);
  RETURN_IF_ERROR(Act(ready, false));
  run.op_end = run.end = step_->trace->Now();
  step_->trace->Add(std::move(run));
  return OkStatus();
}

// An input, moved where nobody else will read it.
Entry FrameRun::Take(Iteration* iteration, int slot) {
  if (slot >= program_.num_slots) return *InputEntry(iteration, slot);
  if (UsesIn(iteration, slot) > 1) return *SlotIn(iteration, slot);
  return std::move(*SlotIn(iteration, slot));
}

void FrameRun::Use(Iteration* iteration, int slot) {
  if (slot >= program_.num_slots || --UsesIn(iteration, slot) > 0) return;
  Entry* const entry = SlotIn(iteration, slot);
  if (!entry->dead()) entry->Clear();
}

void FrameRun::UseInputs(const Ready& ready) {
  const Item& item = ItemAt(ready.item);
  for (int i = 0; i < item.num_inputs; ++i) Use(ready.iteration, InputSlot(item, i));
  for (int i = 0; i < item.num_reads; ++i) {
    Use(ready.iteration, program_.reads[static_cast<size_t>(item.first_read + i)].from);
  }
}

Status FrameRun::Read(const Ready& ready) {
  return ReadVariables(program_, ItemAt(ready.item), step_,
                       [&](int slot) { return SlotIn(ready.iteration, slot); });
}

void FrameRun::FindInputs(const Ready& ready, Entry** inputs, bool* is_last) {
  const Item& item = ItemAt(ready.item);
  for (int i = 0; i < item.num_inputs; ++i) {
    const int slot = InputSlot(item, i);
    inputs[i] = InputEntry(ready.iteration, slot);
    is_last[i] = slot < program_.num_slots && UsesIn(ready.iteration, slot) == 1;
  }
}

OpKernelContext::Params FrameRun::ParamsFor(const Ready& ready, Entry** inputs,
                                            const bool* is_last) {
  const Item& item = ItemAt(ready.item);
  Entry* outputs =
      item.num_outputs == 0 ? nullptr : SlotIn(ready.iteration, item.first_output);
  return {item.node, item.device, inputs, outputs,
          program_.input_on_host.get() + item.first_input,
          program_.output_on_host.get() + item.first_output, is_last, step_,
          &ready.iteration->id};
}

Status FrameRun::Compute(const Ready& ready) {
  const Item& item = ItemAt(ready.item);
  RETURN_IF_ERROR(Read(ready));
  Entry* few[kInlineInputs];
  bool few_last[kInlineInputs];
  std::vector<Entry*> many;
  std::unique_ptr<bool[]> many_last;
  Entry** inputs = few;
  bool* is_last = few_last;
  if (item.num_inputs > kInlineInputs) {
    many.resize(static_cast<size_t>(item.num_inputs));
    many_last = std::make_unique<bool[]>(many.size());
    inputs = many.data();
    is_last = many_last.get();
  }
  FindInputs(ready, inputs, is_last);
  const OpKernelContext::Params params = ParamsFor(ready, inputs, is_last);
  OpKernelContext context(params);
  const Status status =
      RunKernel(program_, item, params.outputs, &context, step_->trace, ready.since);
  if (!status.ok()) return AnnotateItem(item, status);
  return CheckOutputs(program_, item, params.outputs);
}

Status FrameRun::Call(const Ready& ready) {
  const Item& item = ItemAt(ready.item);
  RETURN_IF_ERROR(Read(ready));
  calls_.push_back(std::make_unique<AsyncCall>());
  AsyncCall* call = calls_.back().get();
  call->ready = ready;
  call->inputs.resize(static_cast<size_t>(item.num_inputs) + 1);
  call->is_last = std::make_unique<bool[]>(static_cast<size_t>(item.num_inputs) + 1);
  FindInputs(ready, call->inputs.data(), call->is_last.get());
  call->context.emplace(ParamsFor(ready, call->inputs.data(), call->is_last.get()));
  if (step_->trace != nullptr) {
    call->traced = BeginTraced(program_, item, ready.since, *step_->trace);
  }
  StartAsync(item, &*call->context, [this, call](const Status& status) {
    std::lock_guard<std::mutex> lock(mutex_);
    call->status = status;
    if (step_->trace != nullptr) call->traced.op_end = step_->trace->Now();
    arrived_.push_back(call);
    wake_.notify_one();
  });
  return OkStatus();
}

// Waits until a call has ended, and goes on behind those that have.
Status FrameRun::FinishCalls() {
  std::vector<AsyncCall*> arrived;
  {
    const ForkAllowed allowed;  // nothing is computed here meanwhile; a fork waits for no lock of ours
    std::unique_lock<std::mutex> lock(mutex_);
    step_->Wait(&lock, &wake_, [this] { return !arrived_.empty(); });
    arrived.swap(arrived_);
  }
  Status status;
  for (AsyncCall* call : arrived) {
    const Item& item = ItemAt(call->ready.item);
    Status outcome = AnnotateItem(item, call->status);
    if (outcome.ok() && item.num_outputs > 0) {
      outcome = CheckOutputs(program_, item, SlotIn(call->ready.iteration, item.first_output));
    }
    if (outcome.ok() && step_->trace != nullptr) {
      const Entry* outputs =
          item.num_outputs == 0 ? nullptr : SlotIn(call->ready.iteration, item.first_output);
      EndTraced(program_, item, outputs, std::move(call->traced), step_->trace);
    }
    if (outcome.ok()) Finish(call->ready, false);
    if (status.ok()) status = outcome;
    for (size_t i = 0; i < calls_.size(); ++i) {
      if (calls_[i].get() != call) continue;
      std::swap(calls_[i], calls_.back());
      calls_.pop_back();
      break;
    }
  }
  return status;
}

}  // namespace tfbuild
