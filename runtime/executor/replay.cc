#include "executor/replay.h"

#include <algorithm>
#include <cstring>

#include "executor/executor.h"
#include "executor/runners.h"

namespace tfbuild {
namespace {

constexpr size_t kMostBytesOnHost = 1024;  // of an input that is compared in each step
constexpr int kMostMisses = 2;             // one may be the odd batch at the end of an epoch
constexpr int kMaxPause = 1024;

const Tensor& ValueIn(const StepState& state, int slot) {
  return state.slots[static_cast<size_t>(slot)].value;
}

}  // namespace

std::optional<CaptureSegment> Replay::TakeRest() {
  std::optional<CaptureSegment> rest;
  rest.swap(rest_);
  return rest;
}

int64_t Replay::TakeCount() {
  const int64_t count = count_;
  count_ = 0;
  return count;
}

Status Replay::Run(StepState* state, StepContext* step, StepCheck* check) {
  if (given_up_ || pause_ > 0) {
    pause_ = std::max(0, pause_ - 1);
    return RunPlainly(state, step, check);
  }
  if (check->IsDue(program_->items[static_cast<size_t>(begin())])) RETURN_IF_ERROR(CheckBetweenItems(step));
  RETURN_IF_ERROR(ReadInputs(state, step));
  bool captures = false;
  {
    // Nobody may take a share of a variable between the look at it and the work that changes it.
    const LockedVariables updated = LockUpdated(*state, *step);
    const bool same = IsAsSeen(*state, updated);
    if (same && work_ != nullptr && OutputsAreIdle() && work_->IsIdle()) {
      return QueueAgain(state, step);
    }
    captures = same && work_ == nullptr;
    if (!captures) Miss(*state, updated);
  }
  return captures ? Capture(state, step, check) : RunPlainly(state, step, check);
}

void Replay::Miss(const StepState& state, const LockedVariables& updated) {
  if (seen_ && ++misses_ >= kMostMisses) {
    Pause();
    Forget();
  }
  if (work_ == nullptr && !See(state, updated)) given_up_ = true;
}

// Nothing within the segment reads a variable behind an item that changes it: all can be read at its
// beginning. What is both read and changed is shared from here on, and so never as it was seen.
Status Replay::ReadInputs(StepState* state, const StepContext* step) const {
  Entry* const slots = state->slots.data();
  for (int i = begin(); i < end(); ++i) {
    RETURN_IF_ERROR(ReadVariables(*program_, program_->items[static_cast<size_t>(i)], step,
                                  [slots](int slot) { return slots + slot; }));
  }
  return OkStatus();
}

const Entry& Replay::EntryIn(const StepState& state, int slot) const {
  return slot < program_->num_slots ? state.slots[static_cast<size_t>(slot)]
                                    : program_->ConstantIn(slot);
}

// Those that the items change, as far as they are there.
LockedVariables Replay::LockUpdated(const StepState& state, const StepContext& step) const {
  std::vector<std::shared_ptr<Variable>> updated;
  for (const int slot : segment_.updated) {
    Result<std::shared_ptr<Variable>> variable = VariableOf(EntryIn(state, slot), step);
    if (variable.ok()) updated.push_back(*std::move(variable));
  }
  return LockedVariables(std::move(updated));
}

bool Replay::IsAsSeen(const StepState& state, const LockedVariables& updated) const {
  if (!seen_ || seen_variables_.size() != segment_.updated.size() ||
      updated.size() != static_cast<int>(seen_variables_.size())) {
    return false;
  }
  for (int i = 0; i < updated.size(); ++i) {
    const SeenVariable& seen = seen_variables_[static_cast<size_t>(i)];
    const Tensor& value = updated[i]->value;
    // Who reads a variable keeps what it held: it changes elsewhere then.
    if (updated[i] != seen.variable || !value.SoleOwner() || value.raw() != seen.address ||
        value.shape() != seen.shape) {
      return false;
    }
  }
  for (size_t i = 0; i < seen_->size(); ++i) {
    const Seen& seen = (*seen_)[i];
    const Tensor& value = ValueIn(state, segment_.inputs[i].slot);
    if (value.shape() != seen.shape) return false;
    const bool same = segment_.inputs[i].on_host
                          ? std::memcmp(value.raw(), seen.bytes.data(), seen.bytes.size()) == 0
                          : value.raw() == seen.address;
    if (!same) return false;
  }
  return true;
}

// Whether all of it can be compared later.
bool Replay::See(const StepState& state, const LockedVariables& updated) {
  seen_variables_.clear();
  for (int i = 0; i < updated.size(); ++i) {
    const Tensor& value = updated[i]->value;
    if (value.initialized()) seen_variables_.push_back({updated[i], value.raw(), value.shape()});
  }
  seen_.emplace();
  for (const CaptureSegment::Input& input : segment_.inputs) {
    const Tensor& value = ValueIn(state, input.slot);
    Seen seen{value.raw(), value.shape(), ""};
    if (input.on_host) {
      if (value.num_bytes() > kMostBytesOnHost) return false;
      seen.bytes.assign(value.data<char>(), value.num_bytes());
    }
    seen_->push_back(std::move(seen));
  }
  return true;
}

// Who still has a value of the last run, such as a variable that was assigned it, must not see it
// change.
bool Replay::OutputsAreIdle() const {
  return std::all_of(outputs_.begin(), outputs_.end(), [](const Output& output) {
    return output.input >= 0 || output.on_host || output.variable != nullptr ||
           output.value.buffer().use_count() <= output.idle;
  });
}

Status Replay::RunPlainly(StepState* state, StepContext* step, StepCheck* check) {
  return RunItems(*program_, begin(), end(), state, step, check);
}

std::vector<Tensor> Replay::Inputs(const StepState& state) const {
  std::vector<Tensor> inputs;
  for (const CaptureSegment::Input& input : segment_.inputs) {
    inputs.push_back(ValueIn(state, input.slot));
  }
  return inputs;
}

// The inputs are held meanwhile: so no kernel writes its result over one, and their memory is nobody
// else's before the work is queued.
Status Replay::Capture(StepState* state, StepContext* step, StepCheck* check) {
  const std::vector<Tensor> inputs = Inputs(*state);
  std::vector<Entry> updated;
  for (const int slot : segment_.updated) updated.push_back(EntryIn(*state, slot));
  if (!segment_.device->BeginCapture().ok()) {
    given_up_ = true;
    return RunPlainly(state, step, check);
  }
  int failed = kNone;
  const Status status = CaptureItems(state, step, check, &failed);
  Result<std::unique_ptr<CapturedWork>> work = segment_.device->EndCapture();
  if (status.ok() && work.ok() && (*work)->num_parts() >= kLeastParts &&
      (*work)->bytes() <= kMostBytes) {
    work_ = *std::move(work);
    misses_ = 0;
    KeepOutputs(inputs, state);
    return work_->Queue(step);
  }
  // None of it was done, and nothing but slots has changed.
  for (int i = begin(); i < end(); ++i) {
    const Item& item = program_->items[static_cast<size_t>(i)];
    for (int k = 0; k < item.num_outputs; ++k) {
      state->slots[static_cast<size_t>(item.first_output + k)].Clear();
    }
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    state->slots[static_cast<size_t>(segment_.inputs[i].slot)].value = inputs[i];
  }
  for (size_t i = 0; i < updated.size(); ++i) {
    const int slot = segment_.updated[i];
    if (slot < program_->num_slots) state->slots[static_cast<size_t>(slot)] = updated[i];
  }
  const Status plainly = RunPlainly(state, step, check);
  SplitAt(failed);
  return plainly;
}

Status Replay::CaptureItems(StepState* state, StepContext* step, StepCheck* check, int* failed) {
  for (int i = begin(); i < end(); ++i) {
    Status status = RunItems(*program_, i, i + 1, state, step, check);
    if (status.ok()) status = segment_.device->CheckCapture();
    if (status.ok()) continue;
    *failed = i;
    return status;
  }
  return OkStatus();
}

void Replay::KeepOutputs(const std::vector<Tensor>& inputs, StepState* state) {
  for (const CaptureSegment::Output& output : segment_.outputs) {
    Entry& entry = state->slots[static_cast<size_t>(output.slot)];
    Output kept;
    kept.variable = entry.variable;
    kept.on_host = output.on_host;
    for (size_t i = 0; kept.variable == nullptr && i < inputs.size(); ++i) {
      if (inputs[i].buffer() == entry.value.buffer()) kept.input = static_cast<int>(i);
    }
    kept.value = kept.input < 0 ? entry.value
                                : Tensor(entry.value.dtype(), entry.value.shape(), nullptr);
    entry.Clear();
    outputs_.push_back(std::move(kept));
  }
  for (Output& output : outputs_) {
    if (output.input < 0) output.idle = output.value.buffer().use_count();
  }
  SetOutputs(inputs, state);
}

void Replay::SetOutputs(const std::vector<Tensor>& inputs, StepState* state) const {
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const Output& output = outputs_[i];
    Entry& entry = state->slots[static_cast<size_t>(segment_.outputs[i].slot)];
    entry.variable = output.variable;
    if (output.variable != nullptr) continue;
    Tensor& value = entry.value;
    value = output.input < 0 ? output.value
                             : Tensor(output.value.dtype(), output.value.shape(),
                                      inputs[static_cast<size_t>(output.input)].buffer());
  }
}

Status Replay::QueueAgain(StepState* state, StepContext* step) {
  misses_ = 0;
  ++count_;
  RETURN_IF_ERROR(work_->Queue(step));
  SetOutputs(Inputs(*state), state);
  const Item* const items = program_->items.data();
  for (const Item* item = items + begin(); item != items + end(); ++item) {
    const int* const release = program_->releases.data() + item->first_release;
    for (int i = 0; i < item->num_releases; ++i) {
      state->slots[static_cast<size_t>(release[i])].Clear();
    }
  }
  return OkStatus();
}

// The item in the middle runs as ever, and what is behind it becomes a segment of its own.
void Replay::SplitAt(int item) {
  given_up_ = item == kNone || item - begin() < kLeastSegment;
  if (item == kNone) return;
  if (end() - item > kLeastSegment) {
    rest_ = MakeCaptureSegment(*program_, segment_.device, item + 1, end());
  }
  segment_ = MakeCaptureSegment(*program_, segment_.device, begin(), item);
  seen_.reset();
}

void Replay::Forget() {
  outputs_.clear();
  work_ = nullptr;
  seen_.reset();
  misses_ = 0;
}

void Replay::Pause() {
  pause_ = next_pause_;
  next_pause_ = std::min(2 * next_pause_, kMaxPause);
}

}  // namespace tfbuild
