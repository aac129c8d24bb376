#include "graph/shape_context.h"

#include "graph/graph.h"
#include "graph/handle_type.h"
#include "graph/known_ints.h"

namespace tfbuild {
namespace {

template <typename T>
Tensor TensorOf(const PartlyKnownInts& ints) {
  std::vector<T> numbers;
  for (const auto& number : ints.values) numbers.push_back(static_cast<T>(*number));
  Tensor value = Tensor::Vector(numbers);
  return ints.is_scalar ? *value.Reshaped({}) : value;
}

}  // namespace

ShapeContext::ShapeContext(const Node* node) : node_(node) {
  for (const Endpoint& input : node->inputs()) inputs_.push_back(input.shape());
  outputs_.resize(static_cast<size_t>(node->num_outputs()));
}

const AttrMap& ShapeContext::attrs() const { return node_->attrs(); }

const Tensor* ShapeContext::input_tensor(int i) const {
  const Endpoint& endpoint = node_->input(i);
  if (endpoint.node->op().name == "Const") {
    const auto value = endpoint.node->attrs().find("value");
    return value == endpoint.node->attrs().end() ? nullptr : std::get_if<Tensor>(&value->second);
  }
  const auto computed = computed_.find(i);
  if (computed != computed_.end()) return &computed->second;
  const DType dtype = endpoint.dtype();
  const bool is_real = dtype == DType::kFloat || dtype == DType::kDouble;
  // Integers that become real numbers are known all the same, as in a Range up to 5.0.
  const bool is_made_real = is_real && endpoint.node->op().name == "Cast";
  const std::optional<PartlyKnownInts> ints =
      EvaluateInts(is_made_real ? endpoint.node->input(0) : endpoint);
  if (!ints || !ints->all_known()) return nullptr;
  Tensor& value = computed_[i];
  switch (dtype) {
    case DType::kFloat: value = TensorOf<float>(*ints); break;
    case DType::kDouble: value = TensorOf<double>(*ints); break;
    case DType::kInt32: value = TensorOf<int32_t>(*ints); break;
    default: value = TensorOf<int64_t>(*ints); break;
  }
  return &value;
}

Result<PartialShape> ShapeContext::input_as_shape(int i) const {
  const PartialShape& shape = input(i);
  if (shape.rank() > 1) {
    return InvalidArgument("a shape must be a vector, but input ", i, " has shape ", shape);
  }
  const std::optional<PartlyKnownInts> ints = EvaluateInts(node_->input(i));
  if (!ints) {
    if (shape.rank() == 1 && shape.dim(0) > kMaxRank) {
      return InvalidArgument("a shape of ", shape.dim(0), " dimensions; ", kMaxRank,
                             " are the most");
    }
    return PartialShape();
  }
  if (ints->is_scalar) {
    // As TensorFlow: a scalar -1 is a shape of which nothing is known.
    if (!ints->values[0] || *ints->values[0] == -1) return PartialShape();
    return InvalidArgument("a shape must be a vector, but input ", i, " is the scalar ",
                           *ints->values[0]);
  }
  if (ints->values.size() > static_cast<size_t>(kMaxRank)) {
    return InvalidArgument("a shape of ", ints->values.size(), " dimensions; ", kMaxRank,
                           " are the most");
  }
  std::vector<int64_t> dims;
  for (const std::optional<int64_t>& dim : ints->values) {
    if (dim && *dim < kUnknownDim) return InvalidArgument("negative dimension ", *dim, " in a shape");
    dims.push_back(dim.value_or(kUnknownDim));
  }
  return PartialShape(std::move(dims));
}

Result<PartialShape> ShapeContext::variable_shape(int i, DType dtype) const {
  const std::optional<HandleType> type = HandleTypeOf(node_->input(i));
  if (!type) return PartialShape();
  if (type->dtype != dtype) {
    return InvalidArgument("the variable holds ", DTypeName(type->dtype), ", not ",
                           DTypeName(dtype));
  }
  return type->shape;
}

PartialShape ShapeContext::variable_shape(int i) const {
  const std::optional<HandleType> type = HandleTypeOf(node_->input(i));
  return type ? type->shape : PartialShape();
}

Result<PartialShape> ShapeContext::WithRank(int i, int rank) const {
  const PartialShape& shape = input(i);
  if (!shape.known_rank()) return PartialShape::UnknownOfRank(rank);
  if (shape.rank() == rank) return shape;
  return InvalidArgument("input ", i, " must have rank ", rank, " but its shape is ", shape);
}

Status ShapeContext::WithRankAtLeast(int i, int rank) const {
  if (!input(i).known_rank() || input(i).rank() >= rank) return OkStatus();
  return InvalidArgument("input ", i, " must have at least rank ", rank, " but its shape is ",
                         input(i));
}

Status UnchangedShape(ShapeContext* context) {
  context->set_output(0, context->input(0));
  return OkStatus();
}

Status ScalarShape(ShapeContext* context) {
  context->set_output(0, PartialShape(std::vector<int64_t>{}));
  return OkStatus();
}

Status UnknownShape(ShapeContext*) { return OkStatus(); }

Status NoOutputs(ShapeContext*) { return OkStatus(); }

Status BroadcastBinaryShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(PartialShape shape, BroadcastShapes(context->input(0), context->input(1)));
  context->set_output(0, std::move(shape));
  return OkStatus();
}

Result<int> CanonicalAxis(int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) {
    return InvalidArgument("axis ", axis, " is out of range for rank ", rank);
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

}  // namespace tfbuild
