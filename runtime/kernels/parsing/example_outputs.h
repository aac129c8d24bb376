#pragma once

#include <functional>
#include <string>
#include <vector>

#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/parsing/example_features.h"

namespace tfbuild {

// Serialized Examples and what is asked of them.
struct ExampleRequest {
  std::vector<FeatureSpec> specs;  // sparse, dense, ragged ones, in the order of the outputs
  int num_sparse = 0;
  int num_ragged = 0;
  const std::string* serialized = nullptr;
  const std::string* names = nullptr;  // for messages; null where there are none
  int64_t batch = 1;
  bool is_single = false;  // one Example, whose outputs have no dimension for the batch
};

// What sparse, and what dense features of these types are; InvalidArgument for other types, and where
// their numbers differ.
Result<std::vector<FeatureSpec>> SparseSpecs(const std::vector<DType>& dtypes);
Result<std::vector<FeatureSpec>> DenseSpecs(const std::vector<DType>& dtypes,
                                            const std::vector<PartialShape>& shapes);
// Takes the defaults of dense features, input `first` and on; InvalidArgument where one does not fit.
Status TakeDefaults(const OpKernelContext& context, int first, std::vector<FeatureSpec>* dense);
// Parses, and sets the outputs: indices, values and shapes of the sparse features, then the dense ones,
// then values and row splits of the ragged ones (no splits of one Example).
Status ParseExamples(const ExampleRequest& request, OpKernelContext* context);
// Sets what is known of those outputs; `batch` has the dimensions of the serialized Examples, and the
// attributes say what is asked for.
Status SetExampleShapes(ShapeContext* context, const PartialShape& batch, int64_t num_sparse,
                        const std::string& sparse_types, const std::string& dense_shapes);
// Calls find(i) for each of the messages, on several threads; of those for which it is false the first
// is reported: "Could not parse example input ...".
Status FindInAll(const std::string* serialized, int64_t batch, int64_t grain,
                 const std::function<bool(int64_t)>& find);

}  // namespace tfbuild
