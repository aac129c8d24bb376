#pragma once

#include <vector>

#include "kernels/framework/op_kernel.h"

namespace tfbuild {

// Where the rows of one ragged dimension begin among the values, and behind them how many values there
// are: n + 1 numbers for n rows, which begin at 0 and never fall.
using RowSplits = std::vector<int64_t>;

// The splits in a vector of int32 or int64; `values` is how many there must be, or negative for any.
// InvalidArgument where they are none.
Result<RowSplits> RowSplitsFrom(const Tensor& tensor, int64_t values);
// The splits of nested dimensions, the outermost one first, as inputs `first` and on have them; the last
// one counts the `values`.
Result<std::vector<RowSplits>> NestedSplitsFrom(const OpKernelContext& context, int first, int count,
                                                int64_t values);
// Sets one of the splits in a vector of int32 or int64; whoever calls has seen that it fits.
void PutSplit(Tensor* splits, int64_t at, int64_t value);
// The length of the longest row.
int64_t LongestRow(const RowSplits& splits);

}  // namespace tfbuild
