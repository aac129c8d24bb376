#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "base/status.h"
#include "tensor/shape.h"

namespace tfbuild {

// How the elements of operands that broadcast together pair up. Element (i0, i1, ...) of the output
// takes element sum ik * strides[operand][k] of each operand; a stride of 0 stretches. Dimensions
// are collapsed: same shapes and scalar operands need one, a row or a column against a matrix two.
struct BroadcastPlan {
  Shape output;
  std::vector<int64_t> dims;  // at least one
  std::vector<std::vector<int64_t>> strides;
};

// InvalidArgument when the shapes do not broadcast together.
Result<BroadcastPlan> PlanBroadcast(std::initializer_list<const Shape*> operands);

// Walks the elements [begin, end) of the output row by row (a row is a piece of the innermost
// dimension) and calls row(position, offsets, count), where offsets[k] is the first element of
// operand k. Used by CPU kernels.
template <typename Row>
void ForEachRow(const BroadcastPlan& plan, int64_t begin, int64_t end, const Row& row) {
  const size_t outer = plan.dims.size() - 1;
  const size_t operands = plan.strides.size();
  const int64_t width = plan.dims[outer];
  if (begin >= end) return;
  std::vector<int64_t> index(outer);
  int64_t rest = begin / width;
  int64_t column = begin % width;
  for (size_t k = outer; k-- > 0;) {
    index[k] = rest % plan.dims[k];
    rest /= plan.dims[k];
  }
  std::vector<int64_t> base(operands, 0);
  std::vector<int64_t> offsets(operands);
  for (size_t operand = 0; operand < operands; ++operand) {
    for (size_t k = 0; k < outer; ++k) base[operand] += index[k] * plan.strides[operand][k];
  }
  while (true) {
    const int64_t count = std::min(width - column, end - begin);
    for (size_t operand = 0; operand < operands; ++operand) {
      offsets[operand] = base[operand] + column * plan.strides[operand][outer];
    }
    row(begin, offsets.data(), count);
    begin += count;
    column = 0;
    if (begin >= end) return;
    for (size_t k = outer; k-- > 0;) {
      const bool carry = ++index[k] == plan.dims[k];
      const int64_t steps = carry ? 1 - plan.dims[k] : 1;
      for (size_t operand = 0; operand < operands; ++operand) {
        base[operand] += steps * plan.strides[operand][k];
      }
      if (!carry) break;
      index[k] = 0;
    }
  }
}

}  // namespace tfbuild
