#include "kernels/ragged/row_splits.h"

#include <algorithm>

#include "kernels/framework/shape_inputs.h"

namespace tfbuild {

Result<RowSplits> RowSplitsFrom(const Tensor& tensor, int64_t values) {
  ASSIGN_OR_RETURN(RowSplits splits, VectorFrom(tensor, "row_splits"));
  if (splits.empty()) return InvalidArgument("Invalid row splits: there must be one number at least");
  if (splits[0] != 0) {
    return InvalidArgument("Invalid row splits: the first one must be 0, not ", splits[0]);
  }
  for (size_t i = 1; i < splits.size(); ++i) {
    if (splits[i] >= splits[i - 1]) continue;
    return InvalidArgument("Invalid row splits: ", splits[i], " comes after ", splits[i - 1]);
  }
  if (values >= 0 && splits.back() != values) {
    return InvalidArgument("Invalid row splits: the last one is ", splits.back(), " for ", values,
                           " values");
  }
  return splits;
}

Result<std::vector<RowSplits>> NestedSplitsFrom(const OpKernelContext& context, int first, int count,
                                                int64_t values) {
  std::vector<RowSplits> nested(static_cast<size_t>(count));
  for (int i = count - 1; i >= 0; --i) {
    RowSplits& splits = nested[static_cast<size_t>(i)];
    ASSIGN_OR_RETURN(splits, RowSplitsFrom(context.input(first + i), values));
    values = static_cast<int64_t>(splits.size()) - 1;
  }
  return nested;
}

void PutSplit(Tensor* splits, int64_t at, int64_t value) {
  if (splits->dtype() == DType::kInt64) splits->mutable_data<int64_t>()[at] = value;
  else splits->mutable_data<int32_t>()[at] = static_cast<int32_t>(value);
}

int64_t LongestRow(const RowSplits& splits) {
  int64_t longest = 0;
  for (size_t i = 1; i < splits.size(); ++i) longest = std::max(longest, splits[i] - splits[i - 1]);
  return longest;
}

}  // namespace tfbuild
