#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "executor/capture_segment.h"
#include "kernels/framework/locked_variables.h"
#include "kernels/framework/step_context.h"

namespace tfbuild {

struct StepState;
class StepCheck;

// Runs a segment for the steps of one StepState. Where two steps have found the same inputs (values
// on the host, addresses and shapes on the device, and so of variables that are changed), what the
// kernels queue is captured; as long as steps find those inputs again it is queued as one, and no kernel
// is called.
class Replay {
 public:
  // Memory that captured work keeps, at most: kernels on more take longer than it takes to start them.
  static constexpr size_t kMostBytes = size_t{64} << 20;
  static constexpr size_t kLeastParts = 4;

  Replay(const Program* program, CaptureSegment segment)
      : program_(program), segment_(std::move(segment)) {}

  int begin() const { return segment_.begin; }
  int end() const { return segment_.end; }
  Status Run(StepState* state, StepContext* step, StepCheck* check);
  // What is to be another segment from the next step on, where this one was found to have an item in
  // it that cannot be captured.
  std::optional<CaptureSegment> TakeRest();
  // Steps in which the captured work was queued, since the last call.
  int64_t TakeCount();

 private:
  // What a step found of an input.
  struct Seen {
    const void* address;
    Shape shape;
    std::string bytes;  // of a value on the host
  };
  // And of a variable that is changed.
  struct SeenVariable {
    const Variable* variable;
    const void* address;
    Shape shape;
  };
  struct Output {
    Variable* variable = nullptr;  // it is a reference to that; else:
    int input = -1;  // whose memory it shares; else it is:
    Tensor value;    // kept; of type and shape alone where it shares an input's memory
    long idle = 0;   // users of the memory when no step has it
    bool on_host = false;
  };

  Status ReadInputs(StepState* state, const StepContext* step) const;
  LockedVariables LockUpdated(const StepState& state, const StepContext& step) const;
  bool IsAsSeen(const StepState& state, const LockedVariables& updated) const;
  bool See(const StepState& state, const LockedVariables& updated);
  void Miss(const StepState& state, const LockedVariables& updated);
  bool OutputsAreIdle() const;
  Status RunPlainly(StepState* state, StepContext* step, StepCheck* check);
  Status Capture(StepState* state, StepContext* step, StepCheck* check);
  Status CaptureItems(StepState* state, StepContext* step, StepCheck* check, int* failed);
  void KeepOutputs(const std::vector<Tensor>& inputs, StepState* state);
  Status QueueAgain(StepState* state, StepContext* step);
  void SetOutputs(const std::vector<Tensor>& inputs, StepState* state) const;
  std::vector<Tensor> Inputs(const StepState& state) const;
  const Entry& EntryIn(const StepState& state, int slot) const;
  void SplitAt(int item);
  void Forget();
  void Pause();

  const Program* program_;
  CaptureSegment segment_;
  std::optional<CaptureSegment> rest_;
  bool given_up_ = false;
  std::optional<std::vector<Seen>> seen_;  // by the last step that looked
  std::vector<SeenVariable> seen_variables_;
  std::unique_ptr<CapturedWork> work_;
  std::vector<Output> outputs_;  // as in the segment
  int misses_ = 0;               // in a row
  int pause_ = 0;                // steps until the next look
  int next_pause_ = 1;
  int64_t count_ = 0;
};

}  // namespace tfbuild
