#include "graph/known_ints.h"

#include <algorithm>
#include <limits>

#include "base/stack_room.h"

namespace tfbuild {
namespace {

using Ints = std::optional<PartlyKnownInts>;
using Number = std::optional<int64_t>;

// Nodes that one question may look at, and elements of a vector that may be a shape.
constexpr int kMaxNodes = 512;
constexpr size_t kMaxValues = 1024;

bool IsInteger(DType dtype) {
  return dtype == DType::kInt32 || dtype == DType::kInt64;
}

Number FitInto(DType dtype, Number value) {
  const bool narrow = dtype == DType::kInt32;
  if (value && narrow && (*value > std::numeric_limits<int32_t>::max() ||
                          *value < std::numeric_limits<int32_t>::min())) {
    return std::nullopt;
  }
  return value;
}

Number FloorDiv(int64_t a, int64_t b) {
  if (b == 0 || (b == -1 && a == std::numeric_limits<int64_t>::min())) return std::nullopt;
  return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

Number Arithmetic(const std::string& op, Number a, Number b) {
  if (op == "Mul" && ((a && *a == 0) || (b && *b == 0))) return 0;
  if (!a || !b) return std::nullopt;
  int64_t result = 0;
  if (op == "Add" || op == "AddV2") {
    return __builtin_add_overflow(*a, *b, &result) ? Number() : result;
  }
  if (op == "Sub") return __builtin_sub_overflow(*a, *b, &result) ? Number() : result;
  if (op == "Mul") return __builtin_mul_overflow(*a, *b, &result) ? Number() : result;
  if (op == "Maximum") return std::max(*a, *b);
  if (op == "Minimum") return std::min(*a, *b);
  const Number quotient = FloorDiv(*a, *b);
  if (op == "FloorDiv" || !quotient) return quotient;
  if (op == "FloorMod") return *a - *quotient * *b;
  return std::nullopt;
}

bool IsArithmetic(const std::string& op) {
  for (const char* known : {"Add", "AddV2", "Sub", "Mul", "Maximum", "Minimum", "FloorDiv",
                            "FloorMod"}) {
    if (op == known) return true;
  }
  return false;
}

class Evaluator {
 public:
  Ints Evaluate(const Endpoint& endpoint) {
    if (!IsInteger(endpoint.dtype()) || endpoint.is_ref() || --nodes_left_ < 0) return Ints();
    if (!HasStackRoom()) return Ints();
    Ints ints = EvaluateOp(*endpoint.node, endpoint.index);
    if (!ints) ints = FromShape(endpoint.shape());
    if (!ints || ints->values.size() > kMaxValues) return Ints();
    for (Number& value : ints->values) value = FitInto(endpoint.dtype(), value);
    return ints;
  }

 private:
  // Elements of which nothing is known but how many they are.
  static Ints FromShape(const PartialShape& shape) {
    if (shape.rank() == 0) return PartlyKnownInts{true, {Number()}};
    const bool countable = shape.rank() == 1 && shape.dim(0) != kUnknownDim &&
                           shape.dim(0) <= static_cast<int64_t>(kMaxValues);
    if (!countable) return Ints();
    return PartlyKnownInts{false, std::vector<Number>(static_cast<size_t>(shape.dim(0)))};
  }

  Ints EvaluateOp(const Node& node, int index) {
    const std::string& op = node.op().name;
    if (op == "Const") return FromConstant(node);
    if (op == "Shape" || op == "Size" || op == "Rank") return FromDimensions(node, 0);
    if (op == "ShapeN") return FromDimensions(node, index);
    if (op == "Fill") return FromFill(node);
    if (op == "Unpack") return FromUnpack(node, index);
    if (op == "SelectV2") return FromChoice(node);
    if (op == "Identity" || op == "Cast" || op == "StopGradient") {
      return IsInteger(node.input(0).dtype()) ? Evaluate(node.input(0)) : Ints();
    }
    if (op == "Pack") return FromParts(node, node.inputs().size(), true);
    if (op == "ConcatV2") return FromParts(node, node.inputs().size() - 1, false);
    if (op == "StridedSlice") return FromSlice(node);
    if (op == "Slice") return FromBeginAndSize(node);
    if (op == "Range") return FromRange(node);
    if (op == "ExpandDims" || op == "Squeeze" || op == "Reshape") return Reshaped(node);
    if (op == "Prod") return FromProduct(node);
    if (op == "GatherV2") return FromGather(node);
    if (IsArithmetic(op) && index == 0) return FromArithmetic(node);
    return Ints();
  }

  static Ints FromConstant(const Node& node) {
    const Result<Tensor> value = node.Attr<Tensor>("value");
    if (!value.ok() || value->num_elements() > static_cast<int64_t>(kMaxValues)) return Ints();
    const Result<std::vector<int64_t>> numbers = value->IntValues();
    if (!numbers.ok()) return Ints();
    return PartlyKnownInts{value->rank() == 0, {numbers->begin(), numbers->end()}};
  }

  static Ints FromDimensions(const Node& node, int input) {
    const PartialShape& shape = node.input(input).shape();
    if (!shape.known_rank()) return Ints();
    if (node.op().name == "Rank") return PartlyKnownInts{true, {shape.rank()}};
    PartlyKnownInts ints;
    if (node.op().name == "Size") {
      const int64_t elements = shape.num_elements();
      ints = {true, {elements == kUnknownDim ? Number() : elements}};
    } else {
      for (const int64_t dim : shape.dims()) {
        ints.values.push_back(dim == kUnknownDim ? Number() : dim);
      }
    }
    return ints;
  }

  // One value as often as a vector of one dimension says.
  Ints FromFill(const Node& node) {
    const PartialShape& shape = node.output(0).shape;
    const bool countable = shape.rank() == 1 && shape.dim(0) != kUnknownDim &&
                           shape.dim(0) <= static_cast<int64_t>(kMaxValues);
    if (!countable) return Ints();
    return PartlyKnownInts{
        false, std::vector<Number>(static_cast<size_t>(shape.dim(0)), Scalar(node.input(1)))};
  }

  Ints FromUnpack(const Node& node, int index) {
    const Ints input = Evaluate(node.input(0));
    const size_t at = static_cast<size_t>(index);
    if (!input || input->is_scalar || at >= input->values.size()) return Ints();
    return PartlyKnownInts{true, {input->values[at]}};
  }

  // Elements that are the same whichever is chosen.
  Ints FromChoice(const Node& node) {
    Ints a = Evaluate(node.input(1));
    const Ints b = Evaluate(node.input(2));
    if (!a || !b || a->is_scalar != b->is_scalar || a->values.size() != b->values.size() ||
        node.output(0).shape.rank() != (a->is_scalar ? 0 : 1)) {
      return Ints();
    }
    for (size_t i = 0; i < a->values.size(); ++i) {
      if (a->values[i] != b->values[i]) a->values[i] = Number();
    }
    return a;
  }

  Ints FromParts(const Node& node, size_t count, bool scalars) {
    PartlyKnownInts ints;
    const bool are_scalars = scalars && node.output(0).shape.rank() == 1;
    for (size_t i = 0; i < count; ++i) {
      Ints part = Evaluate(node.inputs()[i]);
      if (!part && are_scalars) part = PartlyKnownInts{true, {Number()}};  // as the others show
      if (!part || part->is_scalar != scalars) return Ints();
      ints.values.insert(ints.values.end(), part->values.begin(), part->values.end());
      if (ints.values.size() > kMaxValues) return Ints();
    }
    return ints;
  }

  // The only element of an input, where it is known.
  Number Scalar(const Endpoint& input) {
    const Ints ints = Evaluate(input);
    return ints && ints->values.size() == 1 ? ints->values[0] : Number();
  }

  static int64_t Mask(const Node& node, const char* name) {
    const Result<int64_t> mask = node.Attr<int64_t>(name);
    return mask.ok() ? *mask : 0;
  }

  // One range of, or one element of, a vector.
  Ints FromSlice(const Node& node) {
    const Ints input = Evaluate(node.input(0));
    const bool odd = Mask(node, "ellipsis_mask") != 0 || Mask(node, "new_axis_mask") != 0;
    if (!input || input->is_scalar || odd || node.input(1).shape().num_elements() != 1) return Ints();
    const int64_t size = static_cast<int64_t>(input->values.size());
    const Number begin = Scalar(node.input(1));
    const Number stride = Scalar(node.input(3));
    const auto from_end = [size](int64_t x) { return x < 0 ? x + size : x; };
    if ((Mask(node, "shrink_axis_mask") & 1) != 0) {
      if (!begin) return Ints();
      const int64_t at = from_end(*begin);
      if (at < 0 || at >= size) return Ints();
      return PartlyKnownInts{true, {input->values[static_cast<size_t>(at)]}};
    }
    const bool from_start = (Mask(node, "begin_mask") & 1) != 0;
    const bool to_end = (Mask(node, "end_mask") & 1) != 0;
    const Number end = to_end ? Number(size) : Scalar(node.input(2));
    if ((!begin && !from_start) || !end || !stride || *stride < 1) return Ints();
    const int64_t first = from_start ? 0 : std::clamp<int64_t>(from_end(*begin), 0, size);
    const int64_t last = to_end ? size : std::clamp<int64_t>(from_end(*end), 0, size);
    PartlyKnownInts ints;
    for (int64_t i = first; i < last;) {
      ints.values.push_back(input->values[static_cast<size_t>(i)]);
      if (*stride >= last - i) break;
      i += *stride;
    }
    return ints;
  }

  Ints FromBeginAndSize(const Node& node) {
    const Ints input = Evaluate(node.input(0));
    const Number begin = Scalar(node.input(1));
    const Number size = Scalar(node.input(2));
    if (!input || input->is_scalar || !begin || !size) return Ints();
    const int64_t count = static_cast<int64_t>(input->values.size());
    if (*begin < 0 || *begin > count) return Ints();
    const int64_t taken = *size == -1 ? count - *begin : *size;
    if (taken < 0 || taken > count - *begin) return Ints();
    const auto first = input->values.begin() + *begin;
    return PartlyKnownInts{false, {first, first + taken}};
  }

  Ints FromRange(const Node& node) {
    const Number start = Scalar(node.input(0));
    const Number limit = Scalar(node.input(1));
    const Number delta = Scalar(node.input(2));
    if (!start || !limit || !delta || *delta == 0) return Ints();
    PartlyKnownInts ints;
    int64_t next = *start;
    while (*delta > 0 ? next < *limit : next > *limit) {
      if (ints.values.size() == kMaxValues) return Ints();
      ints.values.push_back(next);
      if (__builtin_add_overflow(next, *delta, &next)) break;
    }
    return ints;
  }

  // From scalar to vector of one and back, or from vector to vector.
  Ints Reshaped(const Node& node) {
    Ints ints = Evaluate(node.input(0));
    const PartialShape& shape = node.output(0).shape;
    if (!ints || !shape.known_rank() || shape.rank() > 1) return Ints();
    ints->is_scalar = shape.rank() == 0;
    const bool fits = !ints->is_scalar || ints->values.size() == 1;
    return fits ? ints : Ints();
  }

  Ints FromProduct(const Node& node) {
    const Ints input = Evaluate(node.input(0));
    if (!input || node.output(0).shape.rank() != 0 || input->is_scalar) return Ints();
    Number product = 1;
    for (const Number& value : input->values) product = Arithmetic("Mul", product, value);
    return PartlyKnownInts{true, {product}};
  }

  Ints FromGather(const Node& node) {
    const Ints params = Evaluate(node.input(0));
    const Ints indices = Evaluate(node.input(1));
    if (!params || params->is_scalar || !indices || Mask(node, "batch_dims") != 0) return Ints();
    PartlyKnownInts ints;
    ints.is_scalar = indices->is_scalar;
    const int64_t size = static_cast<int64_t>(params->values.size());
    for (const Number& index : indices->values) {
      if (index && (*index < 0 || *index >= size)) return Ints();
      ints.values.push_back(index ? params->values[static_cast<size_t>(*index)] : Number());
    }
    return ints;
  }

  Ints FromArithmetic(const Node& node) {
    const Ints a = Evaluate(node.input(0));
    const Ints b = Evaluate(node.input(1));
    if (!a || !b) return Ints();
    const size_t count = std::max(a->values.size(), b->values.size());
    const auto at = [count](const PartlyKnownInts& x, size_t i) {
      return x.values.size() == count ? x.values[i] : x.values[0];
    };
    for (const PartlyKnownInts& x : {*a, *b}) {
      if (x.values.size() != count && x.values.size() != 1) return Ints();
    }
    PartlyKnownInts ints;
    ints.is_scalar = a->is_scalar && b->is_scalar;
    for (size_t i = 0; i < count; ++i) {
      ints.values.push_back(Arithmetic(node.op().name, at(*a, i), at(*b, i)));
    }
    return ints;
  }

  int nodes_left_ = kMaxNodes;
};

}  // namespace

bool PartlyKnownInts::all_known() const {
  return std::all_of(values.begin(), values.end(), [](const auto& v) { return v.has_value(); });
}

std::optional<PartlyKnownInts> EvaluateInts(const Endpoint& endpoint) {
  return Evaluator().Evaluate(endpoint);
}

}  // namespace tfbuild
