#include "executor/executor.h"

#include <optional>

#include "base/exceptions.h"
#include "executor/runners.h"
#include "kernels/framework/rendezvous.h"

namespace tfbuild {
namespace {

// Steps of one signature that run at once and leave their memory for the next ones.
constexpr size_t kMaxFreeStates = 16;

Status FetchedFrom(const Program::Fetch& fetch, Entry* entry, Tensor* fetched, StepContext* step) {
  if (entry->dead()) {
    return InvalidArgument("'", fetch.name, "' was fetched, but it is in a branch that was not "
                           "taken and has no value");
  }
  if (fetch.variable != nullptr) {
    const VariableRead read{fetch.slot, fetch.slot, fetch.variable, fetch.dtype, true};
    Entry value;
    RETURN_IF_ERROR(ReadVariable(read, *entry, &value, step));
    Device* const device = entry->variable->device;
    if (device->type() == DeviceType::kCpu) {
      *fetched = std::move(value.value);
      return OkStatus();
    }
    ASSIGN_OR_RETURN(*fetched, MoveTo({std::move(value.value), device, false}, CpuDevice(), true));
    return OkStatus();
  }
  if (entry->value.dtype() == DType::kResource) {
    return InvalidArgument("'", fetch.name, "' is a resource, which lives in its step alone and "
                           "cannot be fetched");
  }
  *fetched = fetch.is_last ? std::move(entry->value) : entry->value;
  return OkStatus();
}

}  // namespace

StepState::StepState(const Program& program)
    : slots(static_cast<size_t>(program.num_slots)), inputs(program.inputs.size()) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const int slot = program.inputs[i];
    // Constants are never written: nobody reads them last.
    inputs[i] = slot < program.num_slots
                    ? &slots[static_cast<size_t>(slot)]
                    : const_cast<Entry*>(&program.ConstantIn(slot));
  }
  for (const CaptureSegment& segment : program.capture_segments) replays.emplace_back(&program, segment);
}

void StepState::Clear() {
  for (Entry& slot : slots) slot.Clear();
}

Status Executor::Run(const std::vector<Tensor>& feeds, std::vector<Tensor>* fetches,
                     StepContext* step) const {
  Status status = CatchExceptions([&] {
    const StopScope scope(step);
    return RunStep(feeds, fetches, step);
  });
  // A step that has failed leaves nothing on a GPU that would be reported to the next one.
  for (Device* gpu : program_->gpus) {
    Status ended = gpu->EndStep(step);
    // What is still queued belongs to the step's time.
    if (ended.ok() && status.ok() && step->deadline) ended = gpu->Synchronize();
    if (status.ok()) status = ended;
  }
  // Nobody has looked since the last kernels began.
  if (status.ok() && step->deadline) status = step->Check();
  return status;
}

Status Executor::RunStep(const std::vector<Tensor>& feeds, std::vector<Tensor>* fetches,
                         StepContext* step) const {
  RETURN_IF_ERROR(CheckFeeds(feeds));
  std::optional<MemoryWatch> watch;
  if (step->trace != nullptr) watch.emplace(MemoryWatch::Of::kStep, step->trace->memory());
  const Program& program = *program_;
  const auto constant = [&program](int slot) {
    return const_cast<Entry*>(&program.ConstantIn(slot));
  };
  fetches->clear();
  fetches->resize(program.fetches.size());
  if (program.has_control_flow) {
    std::vector<Entry> fetched(program.fetches.size());
    RETURN_IF_ERROR(RunFrames(program, feeds, &fetched, step));
    for (size_t i = 0; i < fetched.size(); ++i) {
      const int slot = program.fetches[i].slot;
      Entry* entry = slot < program.num_slots ? &fetched[i] : constant(slot);
      RETURN_IF_ERROR(FetchedFrom(program.fetches[i], entry, &(*fetches)[i], step));
    }
    return OkStatus();
  }
  std::unique_ptr<StepState> state = TakeState();
  for (size_t i = 0; i < feeds.size(); ++i) {
    state->slots[static_cast<size_t>(program.feeds[i].slot)].value = feeds[i];
  }
  step->memory = state->memory.get();
  Status status = Waits()        ? RunWaiting(program, pool_, state.get(), step)
                  : IsParallel() ? RunParallel(program, pool_, state.get(), step)
                                 : RunLinear(program, state.get(), step);
  step->memory = nullptr;
  for (size_t i = 0; status.ok() && i < fetches->size(); ++i) {
    const int slot = program.fetches[i].slot;
    Entry* entry =
        slot < program.num_slots ? &state->slots[static_cast<size_t>(slot)] : constant(slot);
    status = FetchedFrom(program.fetches[i], entry, &(*fetches)[i], step);
  }
  for (const Program::Feed& feed : program.feeds) {
    state->slots[static_cast<size_t>(feed.slot)].Clear();
  }
  for (const Program::Fetch& fetch : program.fetches) {
    if (fetch.slot < program.num_slots) state->slots[static_cast<size_t>(fetch.slot)].Clear();
  }
  if (!status.ok()) state->Clear();
  GiveBack(std::move(state), status);
  return status;
}

Status Executor::CheckFeeds(const std::vector<Tensor>& feeds) const {
  if (feeds.size() != program_->feeds.size()) {
    return InvalidArgument("expected ", program_->feeds.size(), " feeds, got ", feeds.size());
  }
  for (size_t i = 0; i < feeds.size(); ++i) {
    const Program::Feed& feed = program_->feeds[i];
    if (feeds[i].dtype() != feed.dtype) {
      return InvalidArgument("the value fed for '", feed.name, "' has type ",
                             DTypeName(feeds[i].dtype()), ", expected ", DTypeName(feed.dtype));
    }
    if (!feed.shape.CompatibleWith(PartialShape(feeds[i].shape()))) {
      return InvalidArgument("the value fed for '", feed.name, "' has shape ", feeds[i].shape(),
                             ", which does not fit ", feed.shape);
    }
    if (feed.wanted_as_variable) {
      return InvalidArgument("'", feed.name, "' is a variable that the step writes; it cannot be "
                             "fed");
    }
  }
  return OkStatus();
}

int64_t Executor::planned_steps() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return planner_.followed();
}

int64_t Executor::replays() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return replays_;
}

// A tiny step has nothing to plan, and the memory that the last one has left without a lock.
std::unique_ptr<StepState> Executor::TakeState() const {
  std::unique_ptr<StepState> state;
  if (program_->tiny) state.reset(idle_.exchange(nullptr, std::memory_order_acq_rel));
  if (state != nullptr) return state;
  StepMemory::Ptr memory;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!program_->tiny && !IsParallel() && !Waits()) memory = planner_.Begin();
    if (!free_states_.empty()) {
      state = std::move(free_states_.back());
      free_states_.pop_back();
    }
  }
  if (state == nullptr) state = std::make_unique<StepState>(*program_);
  state->memory = std::move(memory);
  return state;
}

void Executor::GiveBack(std::unique_ptr<StepState> state, const Status& status) const {
  StepState* none = nullptr;
  if (program_->tiny && idle_.compare_exchange_strong(none, state.get(), std::memory_order_acq_rel)) {
    static_cast<void>(state.release());
    return;
  }
  const StepMemory::Ptr memory = std::move(state->memory);  // its block goes behind the lock
  std::lock_guard<std::mutex> lock(mutex_);
  if (memory != nullptr) planner_.End(memory.get(), status);
  for (Replay& replay : state->replays) replays_ += replay.TakeCount();
  if (free_states_.size() < kMaxFreeStates) free_states_.push_back(std::move(state));
}

}  // namespace tfbuild
