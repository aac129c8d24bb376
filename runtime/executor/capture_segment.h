#pragma once

#include <vector>

#include "tensor/queued_device.h"

namespace tfbuild {

class Program;

// Items of a program that follow one another on one device which queues its work. What they queue
// depends on their inputs alone: they have no state, write no variable and put nothing into a resource.
// Or all of them change variables where they lie, as optimisers do: then nothing in between reads one,
// so that one queues the same as long as the variables lie there and nobody else has their memory.
struct CaptureSegment {
  QueuedDevice* device = nullptr;
  int begin = 0;  // in Program::items
  int end = 0;
  struct Input {
    int slot;
    bool on_host;
  };
  std::vector<Input> inputs;  // what comes from elsewhere, constants and variables aside
  std::vector<int> updated;   // slots with the variables that the items change
  struct Output {
    int slot;
    bool on_host;
  };
  std::vector<Output> outputs;  // what is needed behind it
};

// Less is not worth it.
constexpr int kLeastSegment = 4;

// The longest segments of a program without control flow.
std::vector<CaptureSegment> FindCaptureSegments(const Program& program);
// That of these items.
CaptureSegment MakeCaptureSegment(const Program& program, QueuedDevice* device, int begin, int end);

}  // namespace tfbuild
