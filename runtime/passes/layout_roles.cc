// Which ops do not mind the order of dimensions, and what else changes with it.
#include "passes/layout_roles.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "kernels/framework/element_program.h"

namespace tfbuild {
namespace {

// v: a value with the dimensions; s: a number for each; a: axes; . : nothing of them.
struct Roles {
  const char* inputs;
  const char* outputs;
  bool has_format;
};

const std::unordered_map<std::string, Roles>& KnownRoles() {
  static const auto* roles = new std::unordered_map<std::string, Roles>{
      {"Conv2D", {"v.", "v", true}},
      {"Conv2DBackpropInput", {"s.v", "v", true}},
      {"Conv2DBackpropFilter", {"v.v", ".", true}},
      {"DepthwiseConv2dNative", {"v.", "v", true}},
      {"DepthwiseConv2dNativeBackpropInput", {"s.v", "v", true}},
      {"DepthwiseConv2dNativeBackpropFilter", {"v.v", ".", true}},
      {"Conv3D", {"v.", "v", true}},
      {"Conv3DBackpropInputV2", {"s.v", "v", true}},
      {"Conv3DBackpropFilterV2", {"v.v", ".", true}},
      {"MaxPool", {"v", "v", true}},
      {"MaxPoolGrad", {"vvv", "v", true}},
      {"AvgPool", {"v", "v", true}},
      {"AvgPoolGrad", {"sv", "v", true}},
      {"MaxPool3D", {"v", "v", true}},
      {"MaxPool3DGrad", {"vvv", "v", true}},
      {"AvgPool3D", {"v", "v", true}},
      {"AvgPool3DGrad", {"sv", "v", true}},
      {"BiasAdd", {"v.", "v", true}},
      {"BiasAddGrad", {"v", ".", true}},
      {"FusedBatchNorm", {"v....", "v....", true}},
      {"FusedBatchNormV2", {"v....", "v....", true}},
      {"FusedBatchNormV3", {"v....", "v.....", true}},
      {"FusedBatchNormGrad", {"vv...", "v....", true}},
      {"FusedBatchNormGradV2", {"vv...", "v....", true}},
      {"FusedBatchNormGradV3", {"vv....", "v....", true}},
      {"Pad", {"vs", "v", false}},
      {"PadV2", {"vs.", "v", false}},
      {"MirrorPad", {"vs", "v", false}},
      {"Mean", {"va", "v", false}},
      {"Sum", {"va", "v", false}},
      {"Max", {"va", "v", false}},
      {"Min", {"va", "v", false}},
      {"Prod", {"va", "v", false}},
      {"Shape", {"v", ".", false}},
      {"Identity", {"v", "v", false}},
      {"StopGradient", {"v", "v", false}},
      {"PreventGradient", {"v", "v", false}},
      {"CheckNumerics", {"v", "v", false}},
      {"Cast", {"v", "v", false}},
      {"LeakyRelu", {"v", "v", false}},
      {"LeakyReluGrad", {"vv", "v", false}},
  };
  return *roles;
}

DimRole RoleOf(char letter) {
  switch (letter) {
    case 'v': return DimRole::kValue;
    case 's': return DimRole::kSizes;
    case 'a': return DimRole::kAxes;
    default: return DimRole::kNothing;
  }
}

bool Reduces(const PlanNode& node) {
  return node.is("Mean") || node.is("Sum") || node.is("Max") || node.is("Min") || node.is("Prod");
}

bool KeepsDims(const PlanNode& node) {
  const Result<bool> keeps = node.def->Attr<bool>("keep_dims");
  return keeps.ok() && *keeps;
}

// Of an op with a table entry.
LayoutRoles Listed(const PlanNode& node, const Roles& roles) {
  LayoutRoles found;
  found.has_format = roles.has_format;
  found.gives_sizes = node.is("Shape");
  for (const char* letter = roles.inputs; *letter != 0; ++letter) {
    found.inputs.push_back(RoleOf(*letter));
  }
  for (const char* letter = roles.outputs; *letter != 0; ++letter) {
    found.outputs.push_back(RoleOf(*letter));
  }
  if (Reduces(node) && !KeepsDims(node)) found.outputs = {DimRole::kNothing};
  return found;
}

// Whether each element of the result depends on those at its place alone.
bool IsElementwise(const PlanNode& node) {
  return node.is("AddN") || node.is("SelectV2") ||
         ElementLoopOf(node.op(), node.def->output(0).dtype).has_value();
}

// All inputs are stretched to the result's shape.
LayoutRoles Elementwise(const PlanNode& node) {
  LayoutRoles found;
  found.outputs = {DimRole::kValue};
  const PartialShape& result = node.def->output(0).shape;
  for (const PlanValue& input : node.inputs) {
    const PartialShape& shape = input.type().shape;
    const bool whole = shape.known_rank() && shape.rank() == result.rank();
    const bool scalar = shape.known_rank() && shape.rank() == 0;
    found.inputs.push_back(whole    ? DimRole::kValue
                           : scalar ? DimRole::kNothing
                                    : DimRole::kOperand);
  }
  return found;
}

std::optional<LayoutRoles> Named(const PlanNode& node) {
  const auto known = KnownRoles().find(node.op());
  if (known != KnownRoles().end()) return Listed(node, known->second);
  if (node.is("ConcatV2")) {
    LayoutRoles found;
    found.inputs.assign(node.inputs.size(), DimRole::kValue);
    found.inputs.back() = DimRole::kAxes;
    found.outputs = {DimRole::kValue};
    return found;
  }
  if (node.def->num_outputs() != 1 || !node.def->output(0).shape.known_rank() ||
      !IsElementwise(node)) {
    return std::nullopt;
  }
  return Elementwise(node);
}

// Negative axes count from behind.
int64_t PlaceOf(int64_t axis, const DimOrder& order) {
  const int64_t rank = static_cast<int64_t>(order.size());
  const int64_t wanted = axis < 0 ? axis + rank : axis;
  return std::find(order.begin(), order.end(), wanted) - order.begin();
}

bool HasNumbers(const Tensor& constant, int64_t most) {
  const DType dtype = constant.dtype();
  return (dtype == DType::kInt32 || dtype == DType::kInt64) && constant.num_elements() <= most;
}

// Whether the constant in that role is as the op wants it.
bool Fits(DimRole role, const Tensor& constant, int rank) {
  if (role == DimRole::kOperand) {
    return constant.rank() < rank && !IsHostObject(constant.dtype());
  }
  if (role == DimRole::kSizes) {
    return HasNumbers(constant, 2 * rank) && constant.rank() > 0 && constant.dim(0) == rank;
  }
  if (!HasNumbers(constant, rank)) return false;
  const auto axes = constant.IntValues();
  return axes.ok() && std::all_of(axes->begin(), axes->end(), [rank](int64_t axis) {
    return axis >= -rank && axis < rank;
  });
}

bool IsVectorOf(const PlanValue& value, int numbers) {
  const PartialShape& shape = value.type().shape;
  return shape.fully_known() && shape.rank() == 1 && shape.dim(0) == numbers;
}

bool AllFit(const PlanNode& node, const LayoutRoles& roles,
            const std::set<const PlanNode*>& constants) {
  if (roles.inputs.size() != node.inputs.size() ||
      roles.outputs.size() != static_cast<size_t>(node.def->num_outputs())) {
    return false;
  }
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const PlanValue& input = node.inputs[i];
    if (roles.inputs[i] == DimRole::kNothing) continue;
    if (roles.inputs[i] == DimRole::kValue) {
      const PartialShape& shape = input.type().shape;
      if (!shape.known_rank() || shape.rank() != roles.rank) return false;
      continue;
    }
    if (constants.count(input.node) == 0) {
      if (roles.inputs[i] == DimRole::kSizes && IsVectorOf(input, roles.rank)) continue;
      return false;
    }
    const Result<Tensor> value = input.node->def->Attr<Tensor>("value");
    if (!value.ok() || !Fits(roles.inputs[i], *value, roles.rank)) return false;
  }
  for (size_t i = 0; i < roles.outputs.size(); ++i) {
    const PartialShape& shape = node.def->output(static_cast<int>(i)).shape;
    if (roles.outputs[i] == DimRole::kValue &&
        (!shape.known_rank() || shape.rank() != roles.rank)) {
      return false;
    }
  }
  return true;
}

// The rank of the first value among the inputs, else 0.
int RankOf(const PlanNode& node, const LayoutRoles& roles) {
  for (size_t i = 0; i < std::min(node.inputs.size(), roles.inputs.size()); ++i) {
    if (roles.inputs[i] == DimRole::kValue) return node.inputs[i].type().shape.rank();
  }
  return 0;
}

// Whether what a reduction leaves comes in the same order as before.
bool KeepsOrder(const PlanNode& node, const DimOrder& order) {
  const auto axes = node.inputs[1].node->def->Attr<Tensor>("value")->IntValues();
  std::vector<bool> gone(order.size(), false);
  for (const int64_t axis : *axes) {
    gone[static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(order.size()) : axis)] = true;
  }
  DimOrder left;
  for (const int64_t dim : order) {
    if (!gone[static_cast<size_t>(dim)]) left.push_back(dim);
  }
  return std::is_sorted(left.begin(), left.end());
}

// Rows of a constant in another order.
Result<Tensor> RowsInOrder(const Tensor& constant, const DimOrder& order) {
  ASSIGN_OR_RETURN(Tensor made,
                   Tensor::Allocate(CpuAllocator(), constant.dtype(), constant.shape()));
  const size_t row = constant.num_bytes() / order.size();
  for (size_t i = 0; i < order.size(); ++i) {
    std::memcpy(static_cast<char*>(made.raw()) + i * row,
                static_cast<const char*>(constant.raw()) + static_cast<size_t>(order[i]) * row,
                row);
  }
  return made;
}

Result<Tensor> AxesInOrder(const Tensor& constant, const DimOrder& order) {
  ASSIGN_OR_RETURN(Tensor made,
                   Tensor::Allocate(CpuAllocator(), constant.dtype(), constant.shape()));
  ASSIGN_OR_RETURN(const std::vector<int64_t> axes, constant.IntValues());
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t place = PlaceOf(axes[i], order);
    if (constant.dtype() == DType::kInt64) {
      made.mutable_data<int64_t>()[i] = place;
    } else {
      made.mutable_data<int32_t>()[i] = static_cast<int32_t>(place);
    }
  }
  return made;
}

// Dimensions that the constant lacks are ones in front.
Result<Tensor> Transposed(const Tensor& constant, const DimOrder& order) {
  const size_t rank = order.size();
  std::vector<int64_t> dims(rank, 1);
  std::copy_backward(constant.shape().dims().begin(), constant.shape().dims().end(), dims.end());
  std::vector<int64_t> strides(rank, 1);
  for (size_t i = rank - 1; i-- > 0;) strides[i] = strides[i + 1] * dims[i + 1];
  std::vector<int64_t> sizes(rank);
  for (size_t i = 0; i < rank; ++i) sizes[i] = dims[static_cast<size_t>(order[i])];
  ASSIGN_OR_RETURN(const Shape shape, Shape::Make(sizes));
  ASSIGN_OR_RETURN(Tensor made, Tensor::Allocate(CpuAllocator(), constant.dtype(), shape));
  const size_t bytes = static_cast<size_t>(DTypeSize(constant.dtype()));
  std::vector<int64_t> at(rank, 0);
  for (int64_t i = 0; i < made.num_elements(); ++i) {
    int64_t from = 0;
    for (size_t k = 0; k < rank; ++k) from += at[k] * strides[static_cast<size_t>(order[k])];
    std::memcpy(static_cast<char*>(made.raw()) + static_cast<size_t>(i) * bytes,
                static_cast<const char*>(constant.raw()) + static_cast<size_t>(from) * bytes, bytes);
    for (size_t k = rank; k-- > 0 && ++at[k] == sizes[k];) at[k] = 0;
  }
  return made;
}

}  // namespace

DimOrder Inverse(const DimOrder& order) {
  DimOrder inverse(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    inverse[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  }
  return inverse;
}

DimOrder Compose(const DimOrder& first, const DimOrder& second) {
  DimOrder both;
  for (const int64_t dim : second) both.push_back(first[static_cast<size_t>(dim)]);
  return both;
}

bool ChangesNothing(const DimOrder& order) { return std::is_sorted(order.begin(), order.end()); }

std::optional<LayoutRoles> LayoutRolesOf(const PlanNode& node,
                                         const std::set<const PlanNode*>& constants) {
  if (!IsPure(node)) return std::nullopt;
  std::optional<LayoutRoles> roles = Named(node);
  if (!roles) return std::nullopt;
  roles->rank = RankOf(node, *roles);
  if (roles->rank < 2 || !AllFit(node, *roles, constants)) return std::nullopt;
  return roles;
}

bool HasChannelsLast(const PlanNode& node) {
  const Result<std::string> format = node.def->Attr<std::string>("data_format");
  return !format.ok() || format->empty() || format->back() == 'C';
}

DimOrder OtherFormat(bool channels_last, int rank) {
  DimOrder order = {0};
  if (channels_last) order.push_back(rank - 1);
  for (int64_t dim = channels_last ? 1 : 2; dim < rank - (channels_last ? 1 : 0); ++dim) {
    order.push_back(dim);
  }
  if (!channels_last) order.push_back(1);
  return order;
}

bool TakesOrder(const PlanNode& node, const LayoutRoles& roles, const DimOrder& order) {
  if (static_cast<size_t>(roles.rank) != order.size()) return false;
  if (roles.has_format) return order == OtherFormat(HasChannelsLast(node), roles.rank);
  return !Reduces(node) || KeepsDims(node) || KeepsOrder(node, order);
}

AttrMap AttrsInOrder(const PlanNode& node, const LayoutRoles& roles, const DimOrder& order) {
  AttrMap attrs = node.def->attrs();
  if (!roles.has_format) return attrs;
  const bool last = HasChannelsLast(node);
  const Result<std::string> format = node.def->Attr<std::string>("data_format");
  const bool volumes = format.ok() && format->size() == 5;
  attrs["data_format"] = std::string(volumes ? (last ? "NCDHW" : "NDHWC") : (last ? "NCHW" : "NHWC"));
  for (const char* name : {"strides", "dilations", "ksize", "explicit_paddings"}) {
    const Result<std::vector<int64_t>> numbers = node.def->Attr<std::vector<int64_t>>(name);
    if (!numbers.ok() || numbers->empty() || numbers->size() % order.size() != 0) continue;
    const size_t each = numbers->size() / order.size();
    std::vector<int64_t> changed;
    for (const int64_t dim : order) {
      const auto first = numbers->begin() + dim * static_cast<int64_t>(each);
      changed.insert(changed.end(), first, first + static_cast<int64_t>(each));
    }
    attrs[name] = changed;
  }
  return attrs;
}

Result<Tensor> ConstantInOrder(DimRole role, const Tensor& constant, const DimOrder& order) {
  switch (role) {
    case DimRole::kSizes: return RowsInOrder(constant, order);
    case DimRole::kAxes: return AxesInOrder(constant, order);
    default: return Transposed(constant, order);
  }
}

}  // namespace tfbuild
