#pragma once

#include <cstdint>

#include "base/stop.h"

namespace tfbuild {

// For loops whose turns take less than a microsecond: looks in one of kTurns turns whether the work
// of this thread must end, and then throws Stopped.
class StopLook {
 public:
  static constexpr int64_t kTurns = 256;
  void Turn() { Turns(1); }
  // A turn that takes as long as `count` short ones.
  void Turns(int64_t count) {
    turns_ += count;
    if (turns_ < kTurns) return;
    turns_ = 0;
    ThrowIfStopped();
  }

 private:
  int64_t turns_ = 0;
};

}  // namespace tfbuild
