#pragma once

#include <string>
#include <vector>

#include "kernels/framework/op_kernel.h"
#include "kernels/parsing/example_features.h"

namespace tfbuild {

// What is asked of the feature lists of serialized SequenceExamples: for each key a Feature for each
// step of a sequence. Dense ones have the shape of one step.
struct SequenceRequest {
  std::vector<FeatureSpec> specs;  // sparse, dense, ragged ones, in the order of the outputs
  std::vector<bool> may_miss;      // of the dense ones: without the list there are no steps
  int num_sparse = 0;
  int num_ragged = 0;        // only where there are lengths
  int first_output = 0;      // those of the context are before it
  bool has_lengths = false;  // whether the last outputs say how many steps there are of dense ones
  const std::string* serialized = nullptr;
  const std::string* names = nullptr;  // for messages; null where there are none
  int64_t batch = 1;
  bool is_single = false;  // one SequenceExample, whose outputs have no dimension for the batch
};

// Parses, and sets the outputs: indices, values and shapes of the sparse lists, then the dense ones,
// each filled up with zeros to the longest of the batch, then their lengths; then of the ragged lists the
// values, where the steps of each message end (nothing for one message), and where the values of each
// step do.
Status ParseSequences(const SequenceRequest& request, OpKernelContext* context);

}  // namespace tfbuild
