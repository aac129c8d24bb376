#pragma once

#include <algorithm>
#include <cstdint>

#include "base/parallel.h"

namespace tfbuild {

// Loops over results that may be far larger than what they are made of: on several threads where
// there are many elements, and ended as ParallelFor is where the work of this thread must end.

constexpr int64_t kParallelFillGrain = 65536;  // elements that are worth a thread

template <typename T>
void ParallelFill(T* to, int64_t count, T value) {
  ParallelFor(count, kParallelFillGrain, [to, &value](int64_t begin, int64_t end) {
    std::fill(to + begin, to + end, value);
  });
}

// Sets bytes to zero.
inline void ParallelZero(void* to, int64_t bytes) {
  ParallelFill(static_cast<char*>(to), bytes, '\0');
}

// Converts each element.
template <typename From, typename To>
void ParallelConvert(const From* from, int64_t count, To* to) {
  ParallelFor(count, kParallelFillGrain, [from, to](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) to[i] = static_cast<To>(from[i]);
  });
}

}  // namespace tfbuild
