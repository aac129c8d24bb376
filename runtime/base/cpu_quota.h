#pragma once

#include <string>

namespace tfbuild {

// Processors that the control groups of this process grant in each period, rounded up and at least
// 1; INT_MAX where they set no quota. More threads than that are put aside for the rest of each
// period, all of them. `root` is prefixed to the paths that are read.
int CpusOfQuota(const std::string& root = "");

}  // namespace tfbuild
