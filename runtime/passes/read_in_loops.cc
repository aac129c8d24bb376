// A loop that changes a variable sees its new values. A variable is read once, outside, and the read
// enters the loop; in TensorFlow that read shares the variable's memory, so that whoever looks at it in
// a later iteration finds what the loop has written by then. Here what a reader holds never changes,
// so such readers read the variable itself, when they run. A variable that loops only read is left alone.
#include <map>
#include <set>

#include "passes/passes.h"

namespace tfbuild {
namespace {

// The variable that a reference leads to through frames and branches, and whether it came by a frame.
struct Reference {
  const PlanNode* variable;
  bool in_loop;
};

Reference Follow(const PlanValue& value) {
  const PlanNode* node = value.node;
  bool in_loop = false;
  while (node->is("RefEnter") || node->is("RefSwitch")) {
    in_loop |= node->is("RefEnter");
    node = node->inputs[0].node;
  }
  return {node, in_loop};
}

// Whether the node takes a reference to do more with it than to let it through.
bool Changes(const PlanNode& node, size_t input) {
  return node.feed == kNoFeed && ControlFlowOf(node) == ControlFlow::kNone &&
         node.def->input_is_ref(static_cast<int>(input));
}

class LoopReads {
 public:
  LoopReads(PlanGraph* plan, PassRecord* record) : plan_(plan), record_(record) {}

  Status Run() {
    const std::vector<PlanNode*> nodes = plan_->nodes();
    for (const PlanNode* node : nodes) FindChanged(*node);
    if (changed_.empty()) return OkStatus();
    for (PlanNode* node : nodes) {  // inputs come before their consumers
      const bool forwards = node->is("Enter") || node->is("Switch");
      if (forwards) {
        RETURN_IF_ERROR(TryForward(node));
        continue;
      }
      for (PlanValue& input : node->inputs) {
        const auto found = references_.find(input);
        if (found == references_.end()) continue;
        input = found->second;
        record_->changes.push_back(
            StrCat(node->name(), " reads ", Follow(input).variable->name(), " when it runs"));
      }
    }
    return OkStatus();
  }

 private:
  void FindChanged(const PlanNode& node) {
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (!Changes(node, i)) continue;
      const Reference reference = Follow(node.inputs[i]);
      if (reference.in_loop) changed_.insert(reference.variable);
    }
  }

  // The reference whose value this is: that of a read outside, or of one that has come in.
  const PlanValue* ReferenceOf(const PlanValue& value, const PlanNode& taker) const {
    const auto found = references_.find(value);
    if (found != references_.end()) return &found->second;
    const PlanValue* read = &value;
    while (read->node->is("Identity")) read = &read->node->inputs[0];
    const bool enters = taker.is("Enter") && read != &value && changed_.count(read->node) > 0;
    return enters && read->node->device == taker.device ? read : nullptr;
  }

  // Lets the reference go the way that the value goes.
  Status TryForward(PlanNode* node) {
    const PlanValue* const reference = ReferenceOf(node->inputs[0], *node);
    if (reference == nullptr) return OkStatus();
    const bool enters = node->is("Enter");
    const Result<bool> constant = node->def->Attr<bool>("is_constant");
    if (enters && !(constant.ok() && *constant)) {
      return OkStatus();  // the first value of what the loop changes itself
    }
    std::vector<PlanValue> inputs = node->inputs;
    inputs[0] = *reference;
    NodeSpec spec{StrCat(node->name(), "/reference"), enters ? "RefEnter" : "RefSwitch", {}, {},
                  node->def->attrs(), ""};
    ASSIGN_OR_RETURN(PlanNode * made, plan_->AddNew(std::move(spec), inputs, node->device));
    made->control_inputs = node->control_inputs;
    if (references_.count(node->inputs[0]) == 0) made->control_inputs.push_back(node->inputs[0].node);
    for (int i = 0; i < made->def->num_outputs(); ++i) references_[{node, i}] = {made, i};
    return OkStatus();
  }

  PlanGraph* plan_;
  PassRecord* record_;
  std::set<const PlanNode*> changed_;
  std::map<PlanValue, PlanValue> references_;  // value inside of a loop -> what it is the value of
};

}  // namespace

Status ReadInLoops(PlanGraph* plan, PassRecord* record) { return LoopReads(plan, record).Run(); }

}  // namespace tfbuild
