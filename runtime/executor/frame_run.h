#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "executor/runners.h"

namespace tfbuild {

struct Frame;

struct Iteration {
  Frame* frame = nullptr;
  FrameIteration id;
  std::vector<Entry> slots;
  std::vector<ItemWait> waits;
  std::vector<int> uses;
  int outstanding = 0;  // items that are ready or running, and frames that it has entered
  std::map<int, std::unique_ptr<Frame>> children;
};

// A value on its way into a frame or an iteration.
struct Brought {
  int item;
  Entry value;
};

struct Frame {
  const FrameInfo* info = nullptr;
  int number = 0;  // of `info`
  uint64_t id = 0;
  Iteration* parent = nullptr;
  int enters_left = 0;
  int64_t next_number = 0;                         // of the iteration to begin
  std::deque<std::unique_ptr<Iteration>> running;  // oldest first
  std::vector<std::unique_ptr<Iteration>> spare;
  std::vector<Brought> invariants;
  std::vector<Brought> parked;  // for an iteration that there is no room for yet
  std::vector<bool> exited;     // of the items in info->exits: whether a value has left
};

// One step of a program with control flow.
class FrameRun {
 public:
  FrameRun(const Program& program, StepContext* step)
      : program_(program), step_(step), check_(step) {}

  Status Run(const std::vector<Tensor>& feeds, std::vector<Entry>* fetched);
 private:
  struct Ready {
    int item;
    Iteration* iteration;
    int64_t since;  // for the trace, where there is one
  };
  struct AsyncCall {
    Ready ready;
    std::vector<Entry*> inputs;
    std::unique_ptr<bool[]> is_last;
    std::optional<OpKernelContext> context;
    Status status;
    TracedRun traced;
  };

  const Item& ItemAt(int item) const { return program_.items[static_cast<size_t>(item)]; }
  Entry* SlotIn(Iteration* iteration, int slot) const {
    return &iteration->slots[static_cast<size_t>(program_.place_of_slot[static_cast<size_t>(slot)])];
  }
  int& UsesIn(Iteration* iteration, int slot) const {
    return iteration->uses[static_cast<size_t>(program_.place_of_slot[static_cast<size_t>(slot)])];
  }
  ItemWait& Wait(Iteration* iteration, int item) const {
    return iteration->waits[static_cast<size_t>(program_.place_of_item[static_cast<size_t>(item)])];
  }
  int InputSlot(const Item& item, int input) const {
    return program_.inputs[static_cast<size_t>(item.first_input + input)];
  }
  Entry* InputEntry(Iteration* iteration, int slot) const {
    if (slot < program_.num_slots) return SlotIn(iteration, slot);
    return const_cast<Entry*>(&program_.ConstantIn(slot));
  }

  void MakeReady(Iteration* iteration, int item) {
    ++iteration->outstanding;
    ready_.push_back({item, iteration, step_->trace == nullptr ? 0 : step_->trace->Now()});
  }

  void MergeFeeds(Iteration* start, int item);
  Status Drain();
  Status Process(const Ready& ready);
  Status Act(const Ready& ready, bool dead);
  Status ActTraced(const Ready& ready);
  // Values.
  Entry Take(Iteration* iteration, int slot);
  void Use(Iteration* iteration, int slot);
  void UseInputs(const Ready& ready);
  Status Read(const Ready& ready);
  void FindInputs(const Ready& ready, Entry** inputs, bool* is_last);
  OpKernelContext::Params ParamsFor(const Ready& ready, Entry** inputs, const bool* is_last);
  Status Compute(const Ready& ready);
  // Kernels that wait.
  Status Call(const Ready& ready);
  Status FinishCalls();
  // Control flow.
  Status Switch(const Ready& ready);
  Status Merge(const Ready& ready);
  Status Enter(const Ready& ready, bool dead);
  Status Exit(const Ready& ready, bool dead);
  Status GoRound(const Ready& ready, bool dead);
  Frame* FindOrEnter(Iteration* parent, int number);
  // Who comes next.
  Iteration* Begin(Frame* frame);
  void Bring(Brought brought, Iteration* to);
  void Finish(const Ready& ready, bool dead);
  void Notify(const Item& item, bool dead, Iteration* iteration);
  void Arrive(Iteration* iteration, const Successor& edge, bool dead);
  void EndItem(Iteration* iteration);
  void EndIterations(Frame* frame);
  void EndFrame(Frame* frame);
  const Program& program_;
  StepContext* step_;
  StepCheck check_;
  std::deque<Ready> ready_;
  uint64_t last_frame_id_ = 0;
  std::vector<std::unique_ptr<AsyncCall>> calls_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<AsyncCall*> arrived_;
};

}  // namespace tfbuild
