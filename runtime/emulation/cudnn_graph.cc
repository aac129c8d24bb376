// Graphs of cuDNN: what fits together.
#include "emulation/cudnn_graph.h"

#include <algorithm>

namespace emulation {
namespace {

// The names that the attributes of a convolution have in one direction.
struct ConvolutionNames {
  cudnnBackendDescriptorType_t operation;
  cudnnBackendAttributeName_t alpha, beta, window, input, filter, output;
};
const ConvolutionNames kConvolutions[] = {
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA,
     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y},
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY},
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY},
};

cudnnStatus_t RefuseGraph(const std::string& why) {
  return Refuse(CUDNN_STATUS_NOT_SUPPORTED_GRAPH_PATTERN, why);
}

// Whether the strides are those of images that lie so.
bool LiesSo(const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides,
            bool channels_last) {
  const int64_t channels = sizes[1], area = sizes[2] * sizes[3];
  if (channels_last) {
    return strides == std::vector<int64_t>{channels * area, 1, channels * sizes[3], channels};
  }
  return strides == std::vector<int64_t>{channels * area, area, sizes[3], 1};
}

// Collects the tensors of one graph, which all lie alike.
class GraphReader {
 public:
  explicit GraphReader(Graph* graph) : graph_(graph) {}

  cudnnStatus_t Run(const BackendNode& node) {
    const BackendNodes& operations = node.attributes.at(CUDNN_ATTR_OPERATIONGRAPH_OPS).nodes;
    cudnnStatus_t status = ReadConvolution(*operations[0]);
    for (size_t i = 1; i < operations.size() && status == CUDNN_STATUS_SUCCESS; ++i) {
      status = ReadStep(*operations[i]);
    }
    if (status != CUDNN_STATUS_SUCCESS) return status;
    return graph_->made.is_virtual ? RefuseGraph("nobody reads what is made last") : status;
  }

 private:
  cudnnStatus_t ReadTensor(const BackendNode& node, GraphTensor* tensor) {
    if (node.type != CUDNN_BACKEND_TENSOR_DESCRIPTOR) {
      return Refuse(CUDNN_STATUS_BAD_PARAM_DESCRIPTOR_TYPE, "no tensor");
    }
    const auto sizes = node.All<int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS);
    const auto strides = node.All<int64_t>(CUDNN_ATTR_TENSOR_STRIDES);
    const bool first = LiesSo(sizes, strides, false), last = LiesSo(sizes, strides, true);
    if (!first && !last) return Refuse(CUDNN_STATUS_NOT_SUPPORTED_LAYOUT, "strides with gaps");
    const auto type = node.One<cudnnDataType_t>(CUDNN_ATTR_TENSOR_DATA_TYPE);
    *tensor = {node.One<int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID),
               node.One<int64_t>(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT),
               node.OneOr(CUDNN_ATTR_TENSOR_IS_VIRTUAL, false), {}};
    tensor->layout.type = ElementOf(type);
    tensor->layout.channels_last = last;
    std::copy(sizes.begin(), sizes.end(), tensor->layout.size);
    const auto same = [&](const GraphTensor& other) { return other.number == tensor->number; };
    if (std::any_of(graph_->tensors.begin(), graph_->tensors.end(), same)) {
      return Refuse(CUDNN_STATUS_BAD_PARAM, "one number of two tensors");
    }
    if (!tensor->is_virtual) graph_->tensors.push_back(*tensor);
    return CUDNN_STATUS_SUCCESS;
  }

  cudnnStatus_t ReadWindow(const BackendNode& node) {
    if (node.type != CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR) {
      return Refuse(CUDNN_STATUS_BAD_PARAM_DESCRIPTOR_TYPE, "no convolution");
    }
    const auto pads = node.All<int64_t>(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS);
    const auto strides = node.All<int64_t>(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES);
    const auto dilations = node.All<int64_t>(CUDNN_ATTR_CONVOLUTION_DILATIONS);
    if (node.One<int64_t>(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS) != 2 ||
        node.One<cudnnConvolutionMode_t>(CUDNN_ATTR_CONVOLUTION_CONV_MODE) !=
            CUDNN_CROSS_CORRELATION ||
        pads != node.All<int64_t>(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS)) {
      return RefuseGraph("a window that is not emulated");
    }
    for (int k = 0; k < 2; ++k) {
      const size_t at = static_cast<size_t>(k);
      if (pads[at] < 0 || strides[at] <= 0 || dilations[at] <= 0) {
        return Refuse(CUDNN_STATUS_BAD_PARAM, "a window of such sizes");
      }
      graph_->task.window.pad[k] = pads[at];
      graph_->task.window.stride[k] = strides[at];
      graph_->task.window.dilation[k] = dilations[at];
    }
    return CUDNN_STATUS_SUCCESS;
  }

  // The sums alone, in the type in which they are made.
  cudnnStatus_t CheckFactors(const BackendNode& node, const ConvolutionNames& names,
                             cudnnDataType_t compute) {
    const bool in_double = compute == CUDNN_DATA_DOUBLE;
    const auto wanted = in_double ? CUDNN_TYPE_DOUBLE : CUDNN_TYPE_FLOAT;
    if (node.attributes.at(names.alpha).type != wanted ||
        node.attributes.at(names.beta).type != wanted) {
      return Refuse(CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE, "factors of another type than the sums");
    }
    const bool plain = in_double ? node.One<double>(names.alpha) == 1 &&
                                       node.One<double>(names.beta) == 0
                                 : node.One<float>(names.alpha) == 1 &&
                                       node.One<float>(names.beta) == 0;
    return plain ? CUDNN_STATUS_SUCCESS : RefuseGraph("factors that are not emulated");
  }

  cudnnStatus_t ReadConvolution(const BackendNode& node) {
    const auto names = std::find_if(
        std::begin(kConvolutions), std::end(kConvolutions),
        [&](const ConvolutionNames& known) { return known.operation == node.type; });
    if (names == std::end(kConvolutions)) return RefuseGraph("no convolution comes first");
    graph_->operation = node.type;
    const BackendNode& window = node.NodeAt(names->window);
    cudnnStatus_t status = ReadWindow(window);
    GraphTensor input, filter, output;
    if (status == CUDNN_STATUS_SUCCESS) status = ReadTensor(node.NodeAt(names->input), &input);
    if (status == CUDNN_STATUS_SUCCESS) status = ReadTensor(node.NodeAt(names->filter), &filter);
    if (status == CUDNN_STATUS_SUCCESS) status = ReadTensor(node.NodeAt(names->output), &output);
    if (status != CUDNN_STATUS_SUCCESS) return status;
    const auto compute = window.One<cudnnDataType_t>(CUDNN_ATTR_CONVOLUTION_COMP_TYPE);
    if ((compute == CUDNN_DATA_DOUBLE) != (input.layout.type == Element::kDouble) ||
        (compute != CUDNN_DATA_DOUBLE && compute != CUDNN_DATA_FLOAT)) {
      return Refuse(CUDNN_STATUS_BAD_PARAM, "sums of another precision");
    }
    Task& task = graph_->task;
    task.input = input.layout;
    task.filter = filter.layout;
    task.output = output.layout;
    if (filter.layout.size[1] <= 0 || input.layout.size[1] % filter.layout.size[1] != 0) {
      return Refuse(CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH, "channels of no number of groups");
    }
    task.window.groups = input.layout.size[1] / filter.layout.size[1];
    if (!task.is_consistent()) {
      return Refuse(CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH, "sizes that do not fit the window");
    }
    const bool forward = node.type == CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR;
    graph_->made = forward ? output : graph_->is_filter_gradient() ? filter : input;
    graph_->reads[0] = graph_->made.number == input.number ? filter.number : input.number;
    graph_->reads[1] = forward ? filter.number : output.number;
    return CheckFactors(node, *names, compute);
  }

  cudnnStatus_t ReadStep(const BackendNode& node) {
    if (node.type != CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR) {
      return RefuseGraph("two convolutions");
    }
    const int64_t last = graph_->made.number;
    if (node.NodeAt(CUDNN_ATTR_OPERATION_POINTWISE_XDESC)
                .One<int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID) != last ||
        !graph_->made.is_virtual) {
      return RefuseGraph("a step that does not read what the one before it makes");
    }
    const BackendNode& kind = node.NodeAt(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR);
    if (kind.type != CUDNN_BACKEND_POINTWISE_DESCRIPTOR) {
      return Refuse(CUDNN_STATUS_BAD_PARAM_DESCRIPTOR_TYPE, "no kind of step");
    }
    GraphStep step{kind.One<cudnnPointwiseMode_t>(CUDNN_ATTR_POINTWISE_MODE),
                   kind.OneOr(CUDNN_ATTR_POINTWISE_NAN_PROPAGATION, CUDNN_NOT_PROPAGATE_NAN) ==
                       CUDNN_PROPAGATE_NAN,
                   std::nullopt};
    const bool adds = step.mode == CUDNN_POINTWISE_ADD;
    if (adds != node.has(CUDNN_ATTR_OPERATION_POINTWISE_BDESC)) {
      return Refuse(CUDNN_STATUS_BAD_PARAM, "a step of another number of tensors");
    }
    GraphTensor made;
    cudnnStatus_t status = ReadTensor(node.NodeAt(CUDNN_ATTR_OPERATION_POINTWISE_YDESC), &made);
    if (status == CUDNN_STATUS_SUCCESS && adds) {
      step.more.emplace();
      status = ReadTensor(node.NodeAt(CUDNN_ATTR_OPERATION_POINTWISE_BDESC), &*step.more);
    }
    if (status != CUDNN_STATUS_SUCCESS) return status;
    for (int k = 0; k < 4; ++k) {
      const int64_t size = graph_->made.layout.size[k];
      const int64_t added = adds ? step.more->layout.size[k] : size;
      if (made.layout.size[k] != size || (added != size && added != 1)) {
        return Refuse(CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH, "a step of other sizes");
      }
    }
    graph_->made = made;
    graph_->steps.push_back(step);
    return CUDNN_STATUS_SUCCESS;
  }

  Graph* graph_;
};

}  // namespace

cudnnStatus_t ReadGraph(const BackendNode& node, Graph* graph) {
  return GraphReader(graph).Run(node);
}

}  // namespace emulation
