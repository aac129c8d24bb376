#pragma once

// A graph of cuDNN, read out of its descriptors.

#include <optional>
#include <vector>

#include "emulation/cudnn_backend.h"
#include "emulation/cudnn_task.h"

namespace emulation {

struct GraphTensor {
  int64_t number;
  int64_t alignment;
  bool is_virtual;
  cudnnTensorStruct layout;
};

// What is done with each element of the convolution's result.
struct GraphStep {
  cudnnPointwiseMode_t mode;
  bool keeps_nan;
  std::optional<GraphTensor> more;  // that is added, stretched over sizes of 1
};

struct Graph {
  cudnnBackendDescriptorType_t operation;  // the convolution's
  Task task;
  int64_t reads[2];                  // numbers of the two that it reads
  GraphTensor made;                  // by the last operation
  std::vector<GraphStep> steps;
  std::vector<GraphTensor> tensors;  // in memory, each once

  bool is_filter_gradient() const {
    return operation == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR;
  }
};

// Reads the graph of a CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR; refuses what is not a convolution and
// steps behind it, each of what the one before has made.
cudnnStatus_t ReadGraph(const BackendNode& node, Graph* graph);

}  // namespace emulation
