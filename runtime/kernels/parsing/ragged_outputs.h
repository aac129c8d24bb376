#pragma once

#include <vector>

#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/parsing/example_features.h"

namespace tfbuild {

// What ragged features of these types are; InvalidArgument for other types, and where there are not as
// many types of values as of splits.
Result<std::vector<FeatureSpec>> RaggedSpecs(const std::vector<DType>& values,
                                             const std::vector<DType>& splits);
// Appends them behind the others and names them; InvalidArgument where there are more or fewer keys.
Status AppendRagged(const std::vector<FeatureSpec>& ragged, const Tensor& keys,
                    std::vector<FeatureSpec>* specs);
// Sets an output to row splits, of int32 or int64 as the node says; InvalidArgument where they do not fit.
Status PutRowSplits(OpKernelContext* context, int output, const std::vector<int64_t>& splits);
// Sets what is known of the outputs from `first` on: as many vectors of values as of splits, and of
// `batch` the latter have one element more.
void SetRaggedShapes(ShapeContext* context, const PartialShape& batch, int first, int count);

}  // namespace tfbuild
