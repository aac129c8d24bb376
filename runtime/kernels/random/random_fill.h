#pragma once

#include <algorithm>

#include "base/parallel.h"
#include "kernels/random/philox.h"

namespace tfbuild {

// Fills a tensor: each group of results starts at its own place of the stream, so the numbers do
// not depend on the threads.
template <typename T, typename Draw>
void FillFromStream(const Draw& draw, const Philox& start, int64_t count, T* out) {
  constexpr int64_t kGroupGrain = 1024;  // groups that are worth a thread
  constexpr int64_t kGroup = Draw::kGroup;
  const int64_t groups = (count + kGroup - 1) / kGroup;
  ParallelFor(groups, kGroupGrain / Draw::kCallsPerGroup + 1, [&](int64_t begin, int64_t end) {
    typename Draw::Value values[kGroup];
    for (int64_t group = begin; group < end; ++group) {
      Philox generator = start;
      generator.Skip(static_cast<uint64_t>(group) * Draw::kCallsPerGroup);
      draw(&generator, values);
      const int64_t first = group * kGroup;
      const int64_t filled = std::min(kGroup, count - first);
      for (int64_t i = 0; i < filled; ++i) out[first + i] = T(values[i]);
    }
  });
}

}  // namespace tfbuild
