#include "kernels/parsing/ragged_outputs.h"

#include <algorithm>
#include <limits>

namespace tfbuild {

Result<std::vector<FeatureSpec>> RaggedSpecs(const std::vector<DType>& values,
                                             const std::vector<DType>& splits) {
  if (values.size() != splits.size()) {
    return InvalidArgument("there are ", values.size(), " types of ragged values and ",
                           splits.size(), " of their splits");
  }
  std::vector<FeatureSpec> specs(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    if (splits[i] != DType::kInt32 && splits[i] != DType::kInt64) {
      return InvalidArgument("row splits are int32 or int64, not ", DTypeName(splits[i]));
    }
    if (values[i] != DType::kFloat && values[i] != DType::kInt64 && values[i] != DType::kString) {
      return InvalidArgument("features are float, int64 or string, not ", DTypeName(values[i]));
    }
    specs[i].dtype = values[i];
    specs[i].is_ragged = true;
  }
  return specs;
}

Status AppendRagged(const std::vector<FeatureSpec>& ragged, const Tensor& keys,
                    std::vector<FeatureSpec>* specs) {
  if (keys.num_elements() != static_cast<int64_t>(ragged.size())) {
    return InvalidArgument("there are ", keys.num_elements(), " keys for ", ragged.size(),
                           " ragged features");
  }
  for (size_t i = 0; i < ragged.size(); ++i) {
    specs->push_back(ragged[i]);
    specs->back().key = keys.data<std::string>()[i];
  }
  return OkStatus();
}

Status PutRowSplits(OpKernelContext* context, int output, const std::vector<int64_t>& splits) {
  const int64_t size = static_cast<int64_t>(splits.size());
  ASSIGN_OR_RETURN(Tensor * put, context->AllocateOutput(output, Shape{size}));
  if (put->dtype() == DType::kInt64) {
    std::copy(splits.begin(), splits.end(), put->mutable_data<int64_t>());
    return OkStatus();
  }
  if (size > 0 && splits.back() > std::numeric_limits<int32_t>::max()) {
    return InvalidArgument("there are ", splits.back(), " ragged values, and splits of int32 count ",
                           std::numeric_limits<int32_t>::max(), " at most");
  }
  std::transform(splits.begin(), splits.end(), put->mutable_data<int32_t>(),
                 [](int64_t split) { return static_cast<int32_t>(split); });
  return OkStatus();
}

void SetRaggedShapes(ShapeContext* context, const PartialShape& batch, int first, int count) {
  const bool is_batch = batch.known_rank() && batch.rank() == 1;
  const int64_t rows = is_batch && batch.dim(0) != kUnknownDim ? batch.dim(0) + 1 : kUnknownDim;
  for (int i = 0; i < count; ++i) {
    context->set_output(first + i, PartialShape({kUnknownDim}));
    context->set_output(first + count + i, PartialShape({rows}));
  }
}

}  // namespace tfbuild
