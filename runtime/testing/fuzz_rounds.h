#pragma once

#include <algorithm>
#include <cstdlib>

namespace tfbuild {
namespace testing {

// How many of its rounds a fuzzer runs: all, or, where a sanitiser makes each slow, the share that
// the environment variable TFBUILD_FUZZ_PERCENT names; at least one.
inline int FuzzRounds(int all) {
  const char* percent = std::getenv("TFBUILD_FUZZ_PERCENT");
  return percent == nullptr ? all : std::max(1, all * std::clamp(std::atoi(percent), 0, 100) / 100);
}

}  // namespace testing
}  // namespace tfbuild
