// Elementwise ops that only each other read become one loop, and what they do to a matrix product or
// a convolution is done while its parts are still in cache. Where reductions of rows stand between
// them, or end them, all of it is done row by row.
#include <algorithm>
#include <functional>
#include <unordered_set>

#include "kernels/framework/chain_steps.h"
#include "kernels/framework/element_program.h"
#include "kernels/framework/reduce.h"
#include "passes/passes.h"
#include "passes/plan_uses.h"

namespace tfbuild {
namespace {

// The op that computes the same and then such a chain.
std::string ChainOf(const std::string& op) {
  if (op == "MatMul") return "_MatMulChain";
  if (op == "Conv2D") return "_Conv2DChain";
  return "";
}

// Elements of a row: of shorter ones calls of loops take the time, longer ones do not stay in cache.
constexpr int64_t kLeastRow = 64;

bool IsReduction(const PlanNode& node) {
  return node.is("Mean") || node.is("Sum") || node.is("Max") || node.is("Min") || node.is("Prod");
}

class Fuser {
 public:
  Fuser(PlanGraph* plan, PassRecord* record)
      : plan_(plan), record_(record), constants_(FreeConstants(*plan)), uses_(*plan) {
    const auto& nodes = plan->nodes();
    has_reductions_ = std::any_of(nodes.begin(), nodes.end(),
                                  [](const PlanNode* node) { return IsReduction(*node); });
  }

  Status Run() {
    const std::vector<PlanNode*> nodes = plan_->nodes();
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
      if (taken_.count(*node) > 0) continue;
      if (StepOf(**node).empty() && !ReducesRows(**node)) continue;
      RETURN_IF_ERROR(FuseUpTo(*node));
    }
    ReplaceNodes(replaced_, plan_);
    return OkStatus();
  }

 private:
  // What one chain is made of, in the plan's order; the last gives the result.
  struct Group {
    std::vector<PlanNode*> steps;
    std::vector<PlanValue> inputs;
    PlanNode* product = nullptr;  // whose result is the first input
    std::string result;           // of reductions among the steps: what _RowChain's attribute says
  };

  // The shapes of values in a group with reductions: whole rows, or one element for each.
  struct Rows {
    PartialShape whole;
    PartialShape reduced;
  };

  static DType TypeOf(const PlanNode& node) { return node.def->output(0).dtype; }
  static const PartialShape& ShapeOf(const PlanNode& node) { return node.def->output(0).shape; }

  // The elementwise op that the node is, in a chain; empty where it is none.
  static std::string StepOf(const PlanNode& node) {
    if (!IsPure(node) || !node.control_inputs.empty() || node.def->num_outputs() != 1 ||
        !ShapeOf(node).known_rank() || !HasChains(node)) {
      return "";
    }
    const bool bias = node.is("BiasAdd") && AddsToRows(node);
    const std::string op = bias ? "Add" : node.op();
    const std::optional<ElementLoop> loop = ElementLoopOf(op, TypeOf(node));
    if (!loop || (loop->same_shape && !HasOneShape(node))) return "";
    return op;
  }

  // Whether the node's device has a kernel for chains of its type.
  static bool HasChains(const PlanNode& node) {
    return node.device->type() == DeviceType::kCpu ||
           HasKernel("_ElementwiseChain", node.device->type(), TypeOf(node));
  }

  // Whether a BiasAdd is a sum that broadcasts, and cannot fail.
  static bool AddsToRows(const PlanNode& node) {
    const PartialShape& value = node.inputs[0].type().shape;
    const PartialShape& bias = node.inputs[1].type().shape;
    const Result<std::string> format = node.def->Attr<std::string>("data_format");
    return format.ok() && *format == "NHWC" && value.known_rank() && value.rank() >= 2 &&
           bias.fully_known() && bias.rank() == 1 && value.dim(value.rank() - 1) == bias.dim(0);
  }

  static bool HasOneShape(const PlanNode& node) {
    const PartialShape& shape = node.inputs[0].type().shape;
    return shape.fully_known() &&
           std::all_of(node.inputs.begin(), node.inputs.end(),
                       [&](const PlanValue& input) { return input.type().shape == shape; });
  }

  // Whether the node is a reduction of rows of a length that is worth it, and of nothing else.
  bool ReducesRows(const PlanNode& node) const {
    if (!IsReduction(node) || !IsPure(node) || !node.control_inputs.empty() ||
        node.device->type() != DeviceType::kCpu || constants_.count(node.inputs[1].node) == 0 ||
        ReduceLoopsOf(node.op(), TypeOf(node)) == nullptr) {
      return false;
    }
    const PartialShape& shape = node.inputs[0].type().shape;
    const Result<Tensor> axes = node.inputs[1].node->def->Attr<Tensor>("value");
    if (!shape.known_rank() || shape.rank() == 0 || !axes.ok() || axes->num_elements() != 1) {
      return false;
    }
    const auto axis = axes->IntValues();
    const int64_t last = shape.rank() - 1;
    return axis.ok() && ((*axis)[0] == last || (*axis)[0] == -1) && IsRow(shape);
  }

  static bool IsRow(const PartialShape& shape) {
    if (!shape.known_rank() || shape.rank() == 0) return false;
    const int64_t width = shape.dim(shape.rank() - 1);
    return width >= kLeastRow && width <= kWholeRow;
  }

  static bool KeepsDims(const PlanNode& reduction) {
    const Result<bool> keeps = reduction.def->Attr<bool>("keep_dims");
    return keeps.ok() && *keeps;
  }

  // The rows that a group with that last step may be about.
  std::optional<Rows> RowsOf(const PlanNode& last) const {
    const bool reduces = ReducesRows(last);
    const PartialShape& whole = reduces ? last.inputs[0].type().shape : ShapeOf(last);
    if (!IsRow(whole)) return std::nullopt;
    std::vector<int64_t> dims = whole.dims();
    dims.back() = 1;
    return Rows{whole, PartialShape(std::move(dims))};
  }

  // What a step reads as its operands; a reduction's axes are none.
  static size_t NumOperands(const PlanNode& step) {
    return IsReduction(step) ? 1 : step.inputs.size();
  }

  // Whether the node can be a step behind which others of the group come.
  bool IsStep(const PlanNode& node, const PlanNode& last, const Rows* rows) const {
    if (rows == nullptr) return ShapeOf(node) == ShapeOf(last) && !StepOf(node).empty();
    if (ReducesRows(node)) {
      return KeepsDims(node) && node.inputs[0].type().shape == rows->whole;
    }
    return (ShapeOf(node) == rows->whole || ShapeOf(node) == rows->reduced) &&
           !StepOf(node).empty();
  }

  // Whether the node's value is needed nowhere but in the group.
  bool IsInside(const PlanNode& node, const std::unordered_set<const PlanNode*>& group,
                const PlanNode& last) const {
    return node.device == last.device && TypeOf(node) == TypeOf(last) &&
           uses_.OnlyReadBy(node, [&](const PlanNode* reader) { return group.count(reader) > 0; });
  }

  Status FuseUpTo(PlanNode* last) {
    if (const auto rows = has_reductions_ ? RowsOf(*last) : std::nullopt) {
      Group group = Grow(last, &*rows);
      const auto& steps = group.steps;
      const bool reduces = std::any_of(steps.begin(), steps.end(),
                                       [](const PlanNode* step) { return IsReduction(*step); });
      if (reduces && steps.size() > 1) {
        group.result = !IsReduction(*last) ? "rows" : KeepsDims(*last) ? "kept" : "reduced";
        return Make(group);
      }
    }
    if (IsReduction(*last)) return OkStatus();
    Group group = Grow(last, nullptr);
    FindProduct(*last, &group);
    if (group.steps.size() + (group.product != nullptr ? 1 : 0) < 2) return OkStatus();
    return Make(group);
  }

  // Takes what only the group reads, the latest node first: its readers are known by then.
  Group Grow(PlanNode* last, const Rows* rows) const {
    std::unordered_set<const PlanNode*> members = {last};
    std::vector<PlanNode*> steps = {last};
    std::vector<PlanNode*> open;
    const auto earlier = [](const PlanNode* a, const PlanNode* b) {
      return a->position < b->position;
    };
    const auto look_at = [&](const PlanNode& node) {
      for (size_t i = 0; i < NumOperands(node); ++i) {
        PlanNode* const input = node.inputs[i].node;
        if (std::count(open.begin(), open.end(), input) > 0) continue;
        open.push_back(input);
        std::push_heap(open.begin(), open.end(), earlier);
      }
    };
    look_at(*last);
    while (!open.empty() && steps.size() < size_t{kMaxElementSteps}) {
      std::pop_heap(open.begin(), open.end(), earlier);
      PlanNode* node = open.back();
      open.pop_back();
      if (!IsInside(*node, members, *last) || !IsStep(*node, *last, rows)) continue;
      steps.push_back(node);
      if (InputsOf(steps).size() > size_t{kMaxElementInputs} || !FitsDevice(steps)) {
        steps.pop_back();
        continue;
      }
      members.insert(node);
      look_at(*node);
    }
    return GroupOf(steps);
  }

  // The latest step comes first in `steps`.
  static Group GroupOf(const std::vector<PlanNode*>& steps) {
    Group group;
    group.steps.assign(steps.rbegin(), steps.rend());
    group.inputs = InputsOf(group.steps);
    return group;
  }

  // Whether the device's kernel can run these steps: that of a GPU has its limits.
  static bool FitsDevice(const std::vector<PlanNode*>& steps) {
    if (steps.front()->device->type() == DeviceType::kCpu) return true;
    const Group group = GroupOf(steps);
    const auto [ops, operands] = ProgramOf(group);
    return PlanChainSteps(ops, operands, static_cast<int>(group.inputs.size())).has_value();
  }

  // What the steps read from elsewhere, each once.
  static std::vector<PlanValue> InputsOf(const std::vector<PlanNode*>& steps) {
    std::vector<PlanValue> inputs;
    for (const PlanNode* step : steps) {
      for (size_t i = 0; i < NumOperands(*step); ++i) {
        const PlanValue& input = step->inputs[i];
        const bool made_here = std::count(steps.begin(), steps.end(), input.node) > 0;
        if (!made_here && std::count(inputs.begin(), inputs.end(), input) == 0) {
          inputs.push_back(input);
        }
      }
    }
    return inputs;
  }

  void FindProduct(const PlanNode& last, Group* group) const {
    if (last.device->type() != DeviceType::kCpu) return;
    const std::unordered_set<const PlanNode*> members(group->steps.begin(), group->steps.end());
    for (PlanValue& input : group->inputs) {
      PlanNode* node = input.node;
      if (ChainOf(node->op()).empty() || IsComplex(TypeOf(*node)) || !IsPure(*node) ||
          !node->control_inputs.empty() || !(ShapeOf(*node) == ShapeOf(last)) ||
          !IsInside(*node, members, last)) {
        continue;
      }
      group->product = node;
      std::swap(group->inputs.front(), input);
      return;
    }
  }

  // What ElementProgram::Make takes.
  static std::pair<std::vector<std::string>, std::vector<int64_t>> ProgramOf(const Group& group) {
    std::vector<std::string> ops;
    std::vector<int64_t> operands;
    for (const PlanNode* step : group.steps) {
      ops.push_back(IsReduction(*step) ? step->op() : StepOf(*step));
      for (size_t i = 0; i < 2; ++i) {
        operands.push_back(i < NumOperands(*step) ? OperandOf(group, step->inputs[i]) : kNoOperand);
      }
    }
    return {ops, operands};
  }

  Status Make(const Group& group) {
    const PlanNode& last = *group.steps.back();
    const auto [ops, operands] = ProgramOf(group);
    NodeSpec spec{last.name(), group.result.empty() ? "_ElementwiseChain" : "_RowChain",
                  {}, {}, {}, ""};
    if (!group.result.empty()) spec.attrs["result"] = group.result;
    std::vector<PlanValue> inputs = group.inputs;
    std::vector<std::string> names;
    if (group.product != nullptr) {
      spec.op = ChainOf(group.product->op());
      spec.attrs = group.product->def->attrs();
      inputs.erase(inputs.begin());
      spec.attrs["N"] = static_cast<int64_t>(inputs.size());
      inputs.insert(inputs.begin(), group.product->inputs.begin(), group.product->inputs.end());
      names.push_back(StrCat(group.product->name(), " (", group.product->op(), ")"));
    } else {
      spec.attrs["N"] = static_cast<int64_t>(inputs.size());
    }
    spec.attrs["T"] = TypeOf(last);
    spec.attrs["ops"] = ops;
    spec.attrs["operands"] = operands;
    ASSIGN_OR_RETURN(PlanNode * fused, plan_->AddNew(std::move(spec), std::move(inputs),
                                                     last.device));
    for (PlanNode* step : group.steps) {
      taken_.insert(step);
      names.push_back(StrCat(step->name(), " (", step->op(), ")"));
    }
    if (group.product != nullptr) taken_.insert(group.product);
    replaced_[{group.steps.back(), 0}] = {fused, 0};
    record_->changes.push_back(StrCat(StrJoin(names, ", "), " are one"));
    return OkStatus();
  }

  static int64_t OperandOf(const Group& group, const PlanValue& value) {
    const auto input = std::find(group.inputs.begin(), group.inputs.end(), value);
    if (input != group.inputs.end()) return input - group.inputs.begin();
    const auto step = std::find(group.steps.begin(), group.steps.end(), value.node);
    return static_cast<int64_t>(group.inputs.size()) + (step - group.steps.begin());
  }

  bool has_reductions_ = false;
  PlanGraph* plan_;
  PassRecord* record_;
  std::set<const PlanNode*> constants_;
  PlanUses uses_;
  std::unordered_set<const PlanNode*> taken_;
  std::map<PlanValue, PlanValue> replaced_;
};

}  // namespace

Status Fuse(PlanGraph* plan, PassRecord* record) {
  RETURN_IF_ERROR(FuseEpilogues(plan, record));
  return Fuser(plan, record).Run();
}

}  // namespace tfbuild
