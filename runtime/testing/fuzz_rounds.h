#pragma once

#include <algorithm>
#include <cstdlib>

#include "base/c_locale.h"

namespace tfbuild {
namespace testing {

// How many rounds a fuzzer runs: its own, or the share of them that the environment variable
// TFBUILD_FUZZ_PERCENT names: fewer where a sanitiser makes each slow, more for a night. At least one.
inline int FuzzRounds(int all) {
  const char* percent = std::getenv("TFBUILD_FUZZ_PERCENT");
  if (percent == nullptr) return all;
  const int share = static_cast<int>(std::clamp(ReadInt(percent, nullptr), 0LL, 10000LL));
  return std::max(1, all * share / 100);
}

}  // namespace testing
}  // namespace tfbuild
