#pragma once

#include <algorithm>
#include <type_traits>

#include "base/parallel.h"
#include "kernels/framework/vector_target.h"
#include "kernels/random/philox.h"

namespace tfbuild {

// Uniform numbers by vectors: the first `count` of the generator's.
template <typename T>
struct UniformLoop {
  template <int kVectorBytes>
  static TFBUILD_ALWAYS_INLINE void Run(Philox generator, int64_t count, T* out) {
    constexpr int kGroups = 64;  // fewer are unrolled, and then not made vectors of
    constexpr int64_t kNumbers = 4 * kGroups;
    uint32_t words[kNumbers];
    for (int64_t done = 0; done < count; done += kNumbers) {
      generator.Block<kGroups>(words);
      const int64_t end = std::min(kNumbers, count - done);
      for (int64_t i = 0; i < end; ++i) out[done + i] = T(UniformDraw<T>::OfWord(words[i]));
    }
  }
};

// Fills a tensor: each group of results starts at its own place of the stream, so the numbers do
// not depend on the threads.
template <typename T, typename Draw>
void FillFromStream(const Draw& draw, const Philox& start, int64_t count, T* out) {
  constexpr int64_t kGroupGrain = 1024;  // groups that are worth a thread
  constexpr int64_t kGroup = Draw::kGroup;
  const int64_t groups = (count + kGroup - 1) / kGroup;
  ParallelFor(groups, kGroupGrain / Draw::kCallsPerGroup + 1, [&](int64_t begin, int64_t end) {
    Philox generator = start;
    generator.Skip(static_cast<uint64_t>(begin) * Draw::kCallsPerGroup);
    if constexpr (std::is_same_v<Draw, UniformDraw<T>> && !std::is_same_v<T, double>) {
      const int64_t first = begin * kGroup;
      RunVectorised<UniformLoop<T>>(generator, std::min(end * kGroup, count) - first, out + first);
    } else {
      typename Draw::Value values[kGroup];
      for (int64_t group = begin; group < end; ++group) {
        Philox here = generator;
        draw(&here, values);
        generator.Skip(Draw::kCallsPerGroup);
        const int64_t first = group * kGroup;
        const int64_t filled = std::min(kGroup, count - first);
        for (int64_t i = 0; i < filled; ++i) out[first + i] = T(values[i]);
      }
    }
  });
}

}  // namespace tfbuild
