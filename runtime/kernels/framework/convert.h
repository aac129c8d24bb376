#pragma once

#include <cstdint>

#include "base/parallel.h"

namespace tfbuild {

// out[i] = in[i] in another element type.
template <typename From, typename To>
void ConvertElements(const From* in, int64_t count, To* out) {
  constexpr int64_t kGrain = 16384;  // elements that are worth a thread
  ParallelFor(count, kGrain, [in, out](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) out[i] = static_cast<To>(in[i]);
  });
}

}  // namespace tfbuild
