#include "passes/gelu.h"

#include <cmath>
#include <optional>

namespace tfbuild {
namespace {

constexpr size_t kMaxNodes = 16;  // more than the formula can have

bool IsSum(const PlanNode& node) { return node.is("Add") || node.is("AddV2"); }

// A product taken apart: 0.5 * (x * y) * x is the number 0.5 and the values x, y, x.
struct Factors {
  double number = 1;
  std::vector<PlanValue> values;
};

class Matcher {
 public:
  Matcher(const PlanNode& x, const std::set<const PlanNode*>& constants)
      : x_{const_cast<PlanNode*>(&x), 0}, constants_(constants) {}

  // Whether `root` ends the formula; seen() is then what it is made of.
  bool Matches(PlanNode* root) {
    seen_.clear();
    const Factors outer = TakeApart({root, 0});
    if (!IsNear(outer.number, 0.5) || outer.values.size() != 2) return false;
    const bool x_first = outer.values[0] == x_;
    if (!x_first && !(outer.values[1] == x_)) return false;
    const std::optional<PlanValue> tanh = WithoutOne(outer.values[x_first ? 1 : 0]);
    if (!tanh || !tanh->node->is("Tanh")) return false;
    seen_.insert(tanh->node);
    const Factors inner = TakeApart(tanh->node->inputs[0]);
    return IsNear(inner.number, std::sqrt(2 / std::acos(-1.0))) && inner.values.size() == 1 &&
           IsXAndItsCube(inner.values[0]);
  }
  const std::set<const PlanNode*>& seen() const { return seen_; }

 private:
  // As near as the type of x can be.
  bool IsNear(double number, double wanted) const {
    const DType dtype = x_.type().dtype;
    const double unit = dtype == DType::kBFloat16 ? 1.0 / 256
                        : dtype == DType::kHalf   ? 1.0 / 2048
                                                  : 1e-6;
    return std::abs(number - wanted) <= unit * wanted;
  }

  std::optional<double> NumberOf(const PlanValue& value) const {
    if (constants_.count(value.node) == 0) return std::nullopt;
    const Result<Tensor> tensor = value.node->def->Attr<Tensor>("value");
    if (!tensor.ok() || tensor->num_elements() != 1) return std::nullopt;
    switch (tensor->dtype()) {
#define CASE(T) \
  case DTypeOf<T>::value: return static_cast<double>(tensor->data<T>()[0]);
      TFBUILD_FLOATING_TYPES(CASE)
#undef CASE
      default: return std::nullopt;
    }
  }

  Factors TakeApart(const PlanValue& value) {
    Factors factors;
    Collect(value, &factors);
    return factors;
  }

  void Collect(const PlanValue& value, Factors* factors) {
    const PlanNode& node = *value.node;
    const double power = node.is("Pow") ? NumberOf(node.inputs[1]).value_or(0) : 0;
    if (const std::optional<double> number = NumberOf(value)) {
      factors->number *= *number;
    } else if (value == x_ || seen_.size() > kMaxNodes) {
      factors->values.push_back(value);
    } else if (node.is("Mul") || node.is("Square")) {
      seen_.insert(&node);
      Collect(node.inputs[0], factors);
      Collect(node.inputs.back(), factors);
    } else if (power == 2 || power == 3) {
      seen_.insert(&node);
      for (double i = 0; i < power; ++i) Collect(node.inputs[0], factors);
    } else {
      factors->values.push_back(value);
    }
  }

  // The other summand of 1 + value.
  std::optional<PlanValue> WithoutOne(const PlanValue& value) {
    if (!IsSum(*value.node)) return std::nullopt;
    seen_.insert(value.node);
    for (size_t side = 0; side < 2; ++side) {
      if (NumberOf(value.node->inputs[side]) == 1.0) return value.node->inputs[1 - side];
    }
    return std::nullopt;
  }

  bool IsXAndItsCube(const PlanValue& value) {
    if (!IsSum(*value.node)) return false;
    seen_.insert(value.node);
    const std::vector<PlanValue>& inputs = value.node->inputs;
    const Factors cube = TakeApart(inputs[inputs[0] == x_ ? 1 : 0]);
    return (inputs[0] == x_ || inputs[1] == x_) && IsNear(cube.number, 0.044715) &&
           cube.values == std::vector<PlanValue>(3, x_);
  }

  const PlanValue x_;
  const std::set<const PlanNode*>& constants_;
  std::set<const PlanNode*> seen_;
};

// What is computed of x by the ops of the formula, the nearest first.
std::vector<PlanNode*> Behind(const PlanNode& x, const PlanUses& uses) {
  std::vector<PlanNode*> found;
  const auto add_readers = [&](const PlanNode& node) {
    for (PlanNode* reader : uses.ReadersOf(node)) {
      const bool known = IsSum(*reader) || reader->is("Mul") || reader->is("Tanh") ||
                         reader->is("Pow") || reader->is("Square");
      if (!known || std::count(found.begin(), found.end(), reader) > 0) continue;
      if (found.size() < kMaxNodes) found.push_back(reader);
    }
  };
  add_readers(x);
  for (size_t i = 0; i < found.size(); ++i) add_readers(*found[i]);
  return found;
}

}  // namespace

PlanNode* FindGelu(const PlanNode& x, const PlanUses& uses,
                   const std::set<const PlanNode*>& constants) {
  Matcher matcher(x, constants);
  for (PlanNode* root : Behind(x, uses)) {
    if (!root->is("Mul") || !matcher.Matches(root)) continue;
    const auto& seen = matcher.seen();
    const auto inside = [&](const PlanNode* reader) { return seen.count(reader) > 0; };
    const bool alone = std::all_of(seen.begin(), seen.end(), [&](const PlanNode* node) {
      return node->device == x.device && node->control_inputs.empty() && IsPure(*node) &&
             (node == root || uses.OnlyReadBy(*node, inside));
    });
    if (alone && uses.OnlyReadBy(x, inside)) return root;
  }
  return nullptr;
}

}  // namespace tfbuild
