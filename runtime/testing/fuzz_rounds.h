#pragma once

#include <algorithm>
#include <cstdlib>

namespace tfbuild {
namespace testing {

// How many rounds a fuzzer runs: its own, or the share of them that the environment variable
// TFBUILD_FUZZ_PERCENT names: fewer where a sanitiser makes each slow, more for a night. At least one.
inline int FuzzRounds(int all) {
  const char* percent = std::getenv("TFBUILD_FUZZ_PERCENT");
  return percent == nullptr ? all : std::max(1, all * std::clamp(std::atoi(percent), 0, 10000) / 100);
}

}  // namespace testing
}  // namespace tfbuild
