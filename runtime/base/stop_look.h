#pragma once

#include <cstdint>

#include "base/stop.h"

namespace tfbuild {

// For loops whose turns take less than a microsecond: looks in one of kTurns turns whether the work
// of this thread must end, and then throws Stopped.
class StopLook {
 public:
  static constexpr uint32_t kTurns = 256;
  void Turn() {
    if (++turns_ % kTurns == 0) ThrowIfStopped();
  }

 private:
  uint32_t turns_ = 0;
};

}  // namespace tfbuild
