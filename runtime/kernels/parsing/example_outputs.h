#pragma once

#include <string>
#include <vector>

#include "kernels/framework/op_kernel.h"
#include "kernels/parsing/example_features.h"

namespace tfbuild {

// Serialized Examples and what is asked of them.
struct ExampleRequest {
  std::vector<FeatureSpec> specs;  // sparse ones first, in the order of the outputs
  int num_sparse = 0;
  const std::string* serialized = nullptr;
  const std::string* names = nullptr;  // for messages; null where there are none
  int64_t batch = 1;
  bool is_single = false;  // one Example, whose outputs have no dimension for the batch
};

// Reads the attributes that the dense features of a node have; InvalidArgument where their numbers
// differ.
Result<std::vector<FeatureSpec>> DenseSpecs(const std::vector<DType>& dtypes,
                                            const std::vector<PartialShape>& shapes);
// Takes the defaults of dense features, input `first` and on; InvalidArgument where one does not fit.
Status TakeDefaults(const OpKernelContext& context, int first, std::vector<FeatureSpec>* dense);
// Parses, and sets the outputs: indices, values and shapes of the sparse features, then the dense ones.
Status ParseExamples(const ExampleRequest& request, OpKernelContext* context);

}  // namespace tfbuild
