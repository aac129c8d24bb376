// Operations that change nothing go: x * 1, x - 0, casts to the same type, reshapes of
// reshapes, transpositions that undo each other, dropouts that keep everything. Some powers are
// simpler operations.
#include <cmath>
#include <set>

#include "kernels/framework/element_program.h"
#include "passes/passes.h"

namespace tfbuild {
namespace {

class Simplifier {
 public:
  Simplifier(PlanGraph* plan, PassRecord* record)
      : plan_(plan), record_(record), free_(FreeConstants(*plan)) {
    for (const PlanNode* node : plan->nodes()) {
      waited_for_.insert(node->control_inputs.begin(), node->control_inputs.end());
      branches_ = branches_ || ControlFlowOf(*node) != ControlFlow::kNone;
    }
    waited_for_.insert(plan->targets.begin(), plan->targets.end());
  }

  Status Run() {
    const std::vector<PlanNode*> nodes = plan_->nodes();
    for (PlanNode* node : nodes) {
      for (PlanValue& input : node->inputs) {
        const auto found = replaced_.find(input);
        if (found != replaced_.end()) input = found->second;
      }
      if (node->is("MaxPoolGrad")) SkipPooling(node);
      if (!IsPure(*node) || !node->control_inputs.empty() || waited_for_.count(node) > 0) continue;
      SkipInner(node);
      ASSIGN_OR_RETURN(PlanValue same, SimplerPower(*node));
      if (same.node == nullptr) same = SameAs(*node);
      if (same.node == nullptr || !Stands(same, *node)) continue;
      if (!HandsOn(*node) && MayChange(same)) continue;
      if (node->is("SelectV2")) plan_->targets.push_back(Draws(*node));
      replaced_[{node, 0}] = same;
      record_->changes.push_back(StrCat(node->name(), " (", node->op(), ") is ",
                                        same.node->name(), ":", same.index));
    }
    plan_->Replace(replaced_);
    return OkStatus();
  }

 private:
  // Whether `value` can be read in place of the node's output: on the same device, of the same
  // type, and not from a branch or loop, whose nodes say more than their value.
  static bool Stands(const PlanValue& value, const PlanNode& node) {
    return value.node->device == node.device && !value.type().is_ref &&
           value.type().dtype == node.def->output(0).dtype &&
           ControlFlowOf(*value.node) == ControlFlow::kNone;
  }

  // Whether the node's output is its input, and not a tensor of its own.
  static bool HandsOn(const PlanNode& node) {
    for (const char* op : {"Identity", "StopGradient", "PreventGradient", "Cast", "Reshape",
                           "ExpandDims", "Squeeze"}) {
      if (node.is(op)) return true;
    }
    return false;
  }

  // Whether the value is that of a variable whose updates write into it: what was computed of it
  // before an update must not show what comes after.
  static bool MayChange(PlanValue value) {
    while (HandsOn(*value.node)) {
      value = value.node->inputs[0];
      if (value.type().is_ref) return true;
    }
    return false;
  }

  // Reads through an operation whose effect the node's own covers.
  void SkipInner(PlanNode* node) {
    if (!node->is("Reshape")) return;
    const PlanValue inner = node->inputs[0];
    if (inner.node->is("Reshape") && Goes(*inner.node) && inner.node->device == node->device &&
        free_.count(inner.node->inputs[1].node) > 0 && Determined(*node)) {
      record_->changes.push_back(StrCat(node->name(), " reads through ", inner.node->name()));
      node->inputs[0] = inner.node->inputs[0];
    }
  }

  // The gradient of a maximum over windows looks at what was pooled only to check its shape, which is
  // the gradient's: where nobody else wants the maxima, they need not be computed. The kernel of a GPU
  // does compare with them.
  void SkipPooling(PlanNode* node) {  // which others may wait for: it stays
    PlanValue& maxima = node->inputs[1];
    const PlanNode& pooling = *maxima.node;
    if (node->device->type() != DeviceType::kCpu || !pooling.is("MaxPool") || !Goes(pooling) ||
        !(pooling.inputs[0] == node->inputs[0]) || !HaveSameWindows(pooling, *node)) {
      return;
    }
    record_->changes.push_back(StrCat(node->name(), " does without ", pooling.name()));
    maxima = node->inputs[2];
  }

  static bool HaveSameWindows(const PlanNode& a, const PlanNode& b) {
    const auto same = [&a, &b](auto type, const char* name) {
      using T = decltype(type);
      const Result<T> of_a = a.def->Attr<T>(name);
      const Result<T> of_b = b.def->Attr<T>(name);
      return of_a.ok() && of_b.ok() && *of_a == *of_b;
    };
    using Numbers = std::vector<int64_t>;
    return same(Numbers(), "ksize") && same(Numbers(), "strides") &&
           same(Numbers(), "explicit_paddings") && same(std::string(), "padding") &&
           same(std::string(), "data_format");
  }

  // Whether nothing is lost when nobody runs the node.
  static bool Goes(const PlanNode& node) { return IsPure(node) && node.control_inputs.empty(); }

  // A reshape whose result does not depend on how its input was shaped, and cannot fail by it.
  static bool Determined(const PlanNode& node) {
    return node.def->output(0).shape.fully_known() &&
           node.inputs[0].node->inputs[0].type().shape.fully_known();
  }

  PlanValue SameAs(const PlanNode& node) const {
    if (node.is("Identity") || node.is("StopGradient") || node.is("PreventGradient")) {
      return node.inputs[0];
    }
    if (node.is("Mul")) return WithNeutral(node, 1, true);
    if (node.is("Pow")) return WithNeutral(node, 1, false);
    if (node.is("Div") || node.is("RealDiv")) return WithNeutral(node, 1, false);
    if (node.is("Sub")) return WithNeutral(node, 0, false);  // x + 0 would turn -0 into 0
    if (node.is("Cast")) return SameType(node);
    if (node.is("Reshape")) return SameShape(node);
    if (node.is("Transpose")) return Undone(node);
    if (node.is("SelectV2")) return KeptWhole(node);
    return {};
  }

  // Of `x where noise >= rate else 0` with a rate of 0 and noise in [0, 1): x. The generator still has
  // to go on as far as if its numbers were looked at, so that it draws the same ones later.
  PlanValue KeptWhole(const PlanNode& select) const {
    const PlanNode& compared = *select.inputs[0].node;
    if (branches_ || !compared.is("GreaterEqual") || !Goes(compared) ||
        !IsConstantOf(compared.inputs[1], 0) || !IsScalar(compared.inputs[1]) ||
        !IsScalar(select.inputs[2])) {
      return {};
    }
    const PlanNode& noise = *Draws(select);
    const PlanValue& kept = select.inputs[1];
    return noise.is("RandomUniform") && HasShapeOf(noise, kept) ? kept : PlanValue();
  }

  // The noise that decides what a dropout keeps.
  static PlanNode* Draws(const PlanNode& select) {
    return select.inputs[0].node->inputs[0].node;
  }

  static bool IsScalar(const PlanValue& value) {
    const PartialShape& shape = value.type().shape;
    return shape.known_rank() && shape.rank() == 0;
  }

  // Whether the noise was asked for by the value's own shape, or both are known to have one.
  static bool HasShapeOf(const PlanNode& noise, const PlanValue& value) {
    const PlanNode& sizes = *noise.inputs[0].node;
    if (sizes.is("Shape") && sizes.inputs[0] == value) return true;
    const PartialShape& shape = value.type().shape;
    return shape.fully_known() && shape == noise.def->output(0).shape;
  }

  static PlanValue SameType(const PlanNode& node) {
    const bool same = node.inputs[0].type().dtype == node.def->output(0).dtype;
    return same ? node.inputs[0] : PlanValue();
  }

  PlanValue SameShape(const PlanNode& node) const {
    const PartialShape& shape = node.inputs[0].type().shape;
    const bool same = shape.fully_known() && shape == node.def->output(0).shape &&
                      free_.count(node.inputs[1].node) > 0;
    return same ? node.inputs[0] : PlanValue();
  }

  // The op with the same result as a power by a constant; the kernel of Pow does the others as fast.
  Result<PlanValue> SimplerPower(const PlanNode& node) {
    if (!node.is("Pow")) return PlanValue();
    const PlanValue& exponent = node.inputs[1];
    const char* const op = IsConstantOf(exponent, 2)    ? "Square"
                           : IsConstantOf(exponent, -1) ? "Reciprocal"
                                                        : nullptr;
    const DType dtype = node.def->output(0).dtype;
    const PartialShape& shape = exponent.type().shape;
    if (op == nullptr || !shape.fully_known() || shape.num_elements() != 1 ||
        !IsStretchedOver(exponent, node.inputs[0], node) ||
        node.device->type() != DeviceType::kCpu || !IsFloating(dtype) ||
        !ElementLoopOf(op, dtype)) {
      return PlanValue();
    }
    ASSIGN_OR_RETURN(PlanNode * simpler,
                     plan_->AddNew({node.name(), op, {}, {}, {{"T", dtype}}, ""},
                                   {node.inputs[0]}, node.device));
    return PlanValue{simpler, 0};
  }

  // Whether the result has the shape of `other`, whatever the constant's is.
  static bool IsStretchedOver(const PlanValue& constant, const PlanValue& other,
                              const PlanNode& node) {
    const PartialShape& shape = other.type().shape;
    const PartialShape& small = constant.type().shape;
    return (small.known_rank() && small.rank() == 0) ||
           (shape.fully_known() && shape == node.def->output(0).shape);
  }

  // x op c, where c changes nothing, in value or in shape.
  PlanValue WithNeutral(const PlanNode& node, double neutral, bool either_side) const {
    for (size_t side = either_side ? 0 : 1; side < 2; ++side) {
      const PlanValue& constant = node.inputs[side];
      const PlanValue& other = node.inputs[1 - side];
      if (IsConstantOf(constant, neutral) && IsStretchedOver(constant, other, node)) return other;
    }
    return {};
  }

  bool IsConstantOf(const PlanValue& value, double number) const {
    if (free_.count(value.node) == 0) return false;
    const Result<Tensor> tensor = value.node->def->Attr<Tensor>("value");
    return tensor.ok() && tensor->num_elements() > 0 && AllAre(*tensor, number);
  }

  static bool AllAre(const Tensor& tensor, double number) {
    const auto all = [&](auto* values) {
      for (int64_t i = 0; i < tensor.num_elements(); ++i) {
        // -0 is another number than 0 here: x - (-0) turns -0 into 0.
        const double value = static_cast<double>(values[i]);
        if (value != number || (number == 0 && std::signbit(value))) return false;
      }
      return true;
    };
    switch (tensor.dtype()) {
      case DType::kFloat: return all(tensor.data<float>());
      case DType::kDouble: return all(tensor.data<double>());
      case DType::kInt32: return all(tensor.data<int32_t>());
      case DType::kInt64: return all(tensor.data<int64_t>());
      default: return false;
    }
  }

  PlanValue Undone(const PlanNode& node) const {
    const PlanNode& inner = *node.inputs[0].node;
    if (!inner.is("Transpose") || !Goes(inner)) return {};
    const std::vector<int64_t> outer_order = Order(node.inputs[1]);
    const std::vector<int64_t> inner_order = Order(inner.inputs[1]);
    const PartialShape& shape = inner.inputs[0].type().shape;
    const int64_t rank = static_cast<int64_t>(outer_order.size());
    if (rank == 0 || inner_order.size() != outer_order.size() || shape.rank() != rank) return {};
    for (int64_t i = 0; i < rank; ++i) {
      const int64_t axis = outer_order[static_cast<size_t>(i)];
      if (axis < 0 || axis >= rank || inner_order[static_cast<size_t>(axis)] != i) return {};
    }
    return inner.inputs[0];
  }

  std::vector<int64_t> Order(const PlanValue& value) const {
    if (free_.count(value.node) == 0) return {};
    const Result<Tensor> tensor = value.node->def->Attr<Tensor>("value");
    if (!tensor.ok()) return {};
    const auto numbers = tensor->IntValues();
    return numbers.ok() ? *numbers : std::vector<int64_t>();
  }

  PlanGraph* plan_;
  PassRecord* record_;
  std::set<const PlanNode*> free_;
  std::set<const PlanNode*> waited_for_;
  bool branches_ = false;  // in which a value says more than what it is
  std::map<PlanValue, PlanValue> replaced_;
};

}  // namespace

Status Simplify(PlanGraph* plan, PassRecord* record) {
  return Simplifier(plan, record).Run();
}

}  // namespace tfbuild
