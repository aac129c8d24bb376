#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/graph.h"

namespace tfbuild {

// What is known of a scalar or vector of integers while a graph is built: some of its elements.
struct PartlyKnownInts {
  bool is_scalar = false;
  std::vector<std::optional<int64_t>> values;
  bool all_known() const;
};

// The elements of a value that is computed from constants and from dimensions: through Pack, Concat,
// Shape, StridedSlice, Cast, arithmetic, Range and their like. Nothing where that is not so.
std::optional<PartlyKnownInts> EvaluateInts(const Endpoint& endpoint);

}  // namespace tfbuild
