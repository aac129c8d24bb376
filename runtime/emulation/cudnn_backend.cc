// Descriptors of cuDNN's graphs: made, filled and read as its manual says. What it does not say is refused.
#include "emulation/cudnn_backend.h"

#include <algorithm>
#include <cstdio>

namespace emulation {
namespace {

// An attribute of a kind of descriptor.
struct Rule {
  cudnnBackendDescriptorType_t of;
  cudnnBackendAttributeName_t name;
  cudnnBackendAttributeType_t type;
  int64_t least;  // elements; 0 where it may be left out
  int64_t most;
};

constexpr auto kDescriptor = CUDNN_TYPE_BACKEND_DESCRIPTOR;
constexpr auto kTensor = CUDNN_BACKEND_TENSOR_DESCRIPTOR;
constexpr auto kPointwise = CUDNN_BACKEND_POINTWISE_DESCRIPTOR;
constexpr auto kWindow = CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR;
constexpr auto kForward = CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR;
constexpr auto kData = CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR;
constexpr auto kFilter = CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR;
constexpr auto kStep = CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR;
constexpr auto kGraph = CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR;
constexpr auto kHeuristic = CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR;
constexpr auto kPlan = CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR;
constexpr auto kPack = CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR;

const Rule kRules[] = {
    {kTensor, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, 1},
    {kTensor, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 4, 4},
    {kTensor, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, 4, 4},
    {kTensor, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, 1},
    {kTensor, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1, 1},
    {kTensor, CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, 0, 1},
    {kPointwise, CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, 1, 1},
    {kPointwise, CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, 1, 1},
    {kPointwise, CUDNN_ATTR_POINTWISE_NAN_PROPAGATION, CUDNN_TYPE_NAN_PROPOGATION, 0, 1},
    {kWindow, CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, 1},
    {kWindow, CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, 1, 1},
    {kWindow, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, 1, 1},
    {kWindow, CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, 2, 2},
    {kWindow, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, 2, 2},
    {kWindow, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, 2, 2},
    {kWindow, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, 2, 2},
    {kForward, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, CUDNN_TYPE_FLOAT, 1, 1},
    {kForward, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, CUDNN_TYPE_FLOAT, 1, 1},
    {kForward, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, kDescriptor, 1, 1},
    {kForward, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, kDescriptor, 1, 1},
    {kForward, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, kDescriptor, 1, 1},
    {kForward, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, kDescriptor, 1, 1},
    {kData, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA, CUDNN_TYPE_FLOAT, 1, 1},
    {kData, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA, CUDNN_TYPE_FLOAT, 1, 1},
    {kData, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC, kDescriptor, 1, 1},
    {kData, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, kDescriptor, 1, 1},
    {kData, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W, kDescriptor, 1, 1},
    {kData, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY, kDescriptor, 1, 1},
    {kFilter, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA, CUDNN_TYPE_FLOAT, 1, 1},
    {kFilter, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA, CUDNN_TYPE_FLOAT, 1, 1},
    {kFilter, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC, kDescriptor, 1, 1},
    {kFilter, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X, kDescriptor, 1, 1},
    {kFilter, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW, kDescriptor, 1, 1},
    {kFilter, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY, kDescriptor, 1, 1},
    {kStep, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, kDescriptor, 1, 1},
    {kStep, CUDNN_ATTR_OPERATION_POINTWISE_XDESC, kDescriptor, 1, 1},
    {kStep, CUDNN_ATTR_OPERATION_POINTWISE_BDESC, kDescriptor, 0, 1},
    {kStep, CUDNN_ATTR_OPERATION_POINTWISE_YDESC, kDescriptor, 1, 1},
    {kGraph, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1, 1},
    {kGraph, CUDNN_ATTR_OPERATIONGRAPH_OPS, kDescriptor, 1, 16},
    {kHeuristic, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, kDescriptor, 1, 1},
    {kHeuristic, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, 1},
    {kPlan, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, 1},
    {kPlan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, kDescriptor, 1, 1},
    {kPack, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, 1, 16},
    {kPack, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, 1, 16},
    {kPack, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 0, 1},
};

size_t BytesOf(cudnnBackendAttributeType_t type) {
  switch (type) {
    case CUDNN_TYPE_BOOLEAN: return sizeof(bool);
    case CUDNN_TYPE_CHAR: return 1;
    case CUDNN_TYPE_INT64:
    case CUDNN_TYPE_DOUBLE:
    case CUDNN_TYPE_HANDLE:
    case CUDNN_TYPE_VOID_PTR:
    case CUDNN_TYPE_BACKEND_DESCRIPTOR: return 8;
    default: return 4;  // float, and the enumerations
  }
}

std::string& LastError() {
  static thread_local std::string error;
  return error;
}

const Rule* RuleOf(cudnnBackendDescriptorType_t type, cudnnBackendAttributeName_t name) {
  const auto found = std::find_if(std::begin(kRules), std::end(kRules), [&](const Rule& rule) {
    return rule.of == type && rule.name == name;
  });
  return found == std::end(kRules) ? nullptr : found;
}

// Factors are of the type that sums have, which no rule for all convolutions can say.
bool FitsType(const Rule& rule, cudnnBackendAttributeType_t type) {
  return type == rule.type || (rule.type == CUDNN_TYPE_FLOAT && type == CUDNN_TYPE_DOUBLE);
}

}  // namespace

std::shared_ptr<BackendNode> NodeOf(cudnnBackendDescriptor_t descriptor) {
  return descriptor == nullptr ? nullptr
                               : *static_cast<std::shared_ptr<BackendNode>*>(descriptor);
}

cudnnStatus_t Refuse(cudnnStatus_t status, const std::string& why) {
  LastError() = why;
  return status;
}

}  // namespace emulation

using emulation::BackendAttribute;
using emulation::BackendNode;
using emulation::Refuse;

extern "C" {

void cudnnGetLastErrorString(char* message, size_t room) {
  std::snprintf(message, room, "%s", emulation::LastError().c_str());
  emulation::LastError().clear();
}

cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t type,
                                           cudnnBackendDescriptor_t* descriptor) {
  *descriptor = new std::shared_ptr<BackendNode>(std::make_shared<BackendNode>(type));
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t descriptor) {
  delete static_cast<std::shared_ptr<BackendNode>*>(descriptor);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t descriptor,
                                       cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, int64_t count,
                                       const void* elements) {
  const auto node = emulation::NodeOf(descriptor);
  if (node == nullptr || elements == nullptr) {
    return Refuse(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "a null pointer");
  }
  if (node->finalized) return Refuse(CUDNN_STATUS_BAD_PARAM, "it is finalized");
  const emulation::Rule* const rule = emulation::RuleOf(node->type, name);
  if (rule == nullptr) return Refuse(CUDNN_STATUS_BAD_PARAM, "no attribute of such a descriptor");
  if (!emulation::FitsType(*rule, type)) {
    return Refuse(CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE, "an attribute of another type");
  }
  if (count < rule->least || count > rule->most) {
    return Refuse(CUDNN_STATUS_BAD_PARAM, "too few or too many elements");
  }
  BackendAttribute attribute{type, count, {}, {}};
  if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
    for (int64_t i = 0; i < count; ++i) {
      const auto part = emulation::NodeOf(static_cast<const cudnnBackendDescriptor_t*>(elements)[i]);
      if (part == nullptr || !part->finalized) {
        return Refuse(CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED, "a part that is not finalized");
      }
      attribute.nodes.push_back(part);
    }
  } else {
    const char* const bytes = static_cast<const char*>(elements);
    attribute.bytes.assign(bytes, bytes + static_cast<size_t>(count) * emulation::BytesOf(type));
  }
  node->attributes[name] = std::move(attribute);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t descriptor) {
  const auto node = emulation::NodeOf(descriptor);
  if (node->finalized) return Refuse(CUDNN_STATUS_BAD_PARAM, "it is finalized");
  for (const emulation::Rule& rule : emulation::kRules) {
    if (rule.of == node->type && rule.least > 0 && !node->has(rule.name)) {
      return Refuse(CUDNN_STATUS_BAD_PARAM, "attribute " + std::to_string(rule.name) + " is not set");
    }
  }
  const cudnnStatus_t status = emulation::FinalizeWhole(node);
  node->finalized = status == CUDNN_STATUS_SUCCESS;
  return status;
}

cudnnStatus_t cudnnBackendGetAttribute(cudnnBackendDescriptor_t descriptor,
                                       cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, int64_t room,
                                       int64_t* count, void* elements) {
  const auto node = emulation::NodeOf(descriptor);
  if (!node->finalized) return Refuse(CUDNN_STATUS_NOT_INITIALIZED, "it is not finalized");
  if (!node->has(name)) return Refuse(CUDNN_STATUS_BAD_PARAM, "no attribute of such a descriptor");
  const BackendAttribute& attribute = node->attributes.at(name);
  if (attribute.type != type) {
    return Refuse(CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE, "an attribute of another type");
  }
  *count = attribute.count;
  const int64_t given = std::min(room, attribute.count);
  if (type != CUDNN_TYPE_BACKEND_DESCRIPTOR && given > 0) {
    std::memcpy(elements, attribute.bytes.data(),
                static_cast<size_t>(given) * emulation::BytesOf(type));
  }
  for (int64_t i = 0; type == CUDNN_TYPE_BACKEND_DESCRIPTOR && i < given; ++i) {
    auto* const part = static_cast<std::shared_ptr<BackendNode>*>(
        static_cast<cudnnBackendDescriptor_t*>(elements)[i]);
    if ((*part)->type != attribute.nodes[static_cast<size_t>(i)]->type) {
      return Refuse(CUDNN_STATUS_BAD_PARAM_DESCRIPTOR_TYPE, "a descriptor of another type");
    }
    *part = attribute.nodes[static_cast<size_t>(i)];
  }
  return CUDNN_STATUS_SUCCESS;
}

}  // extern "C"
