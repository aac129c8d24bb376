// Updates of variables that need nothing slow come before slow kernels that read or change the same
// variable. TensorFlow leaves the order open, but its executor runs cheap kernels at once and sends
// the others to threads, and reads of a variable share its memory: so a program that clips weights
// beside a loss sees it of the clipped ones, and the optimiser's step is not overwritten by what was
// clipped before it. Cheap readers see the old value, there as here.
#include <map>
#include <unordered_set>

#include "kernels/framework/element_program.h"
#include "passes/passes.h"

namespace tfbuild {
namespace {

bool IsVariable(const PlanNode& node) {
  return node.feed == kNoFeed && node.inputs.empty() && node.def->num_outputs() == 1 &&
         node.def->output(0).is_ref;
}

bool IsUpdate(const PlanNode& node) {
  return (node.is("Assign") || node.is("AssignAdd") || node.is("AssignSub")) &&
         IsVariable(*node.inputs[0].node);
}

// What takes no time worth mentioning, or is there before the step begins.
bool IsCheap(const PlanNode& node) {
  if (node.feed != kNoFeed || IsVariable(node) || IsUpdate(node)) return true;
  if (node.is("Const") || node.is("Identity") || node.is("Cast")) return true;
  return node.def->num_outputs() == 1 &&
         ElementLoopOf(node.op(), node.def->output(0).dtype).has_value();
}

class UpdateOrder {
 public:
  UpdateOrder(PlanGraph* plan, PassRecord* record) : plan_(plan), record_(record) {}

  Status Run() {
    const std::vector<PlanNode*> nodes = plan_->nodes();
    std::unordered_set<const PlanNode*> cheap;  // with all that they need
    for (PlanNode* node : nodes) {
      if (!IsCheap(*node) || !AllIn(cheap, *node)) continue;
      cheap.insert(node);
      if (IsUpdate(*node)) TakeFirst(node);
    }
    if (updates_.empty()) return OkStatus();
    for (PlanNode* node : nodes) {
      if (first_.count(node) > 0 || (IsCheap(*node) && !IsUpdate(*node))) continue;
      for (PlanValue& input : node->inputs) RETURN_IF_ERROR(PutBehind(node, &input));
    }
    return OkStatus();
  }

 private:
  static bool AllIn(const std::unordered_set<const PlanNode*>& nodes, const PlanNode& node) {
    for (const PlanValue& input : node.inputs) {
      if (nodes.count(input.node) == 0) return false;
    }
    for (const PlanNode* control : node.control_inputs) {
      if (nodes.count(control) == 0) return false;
    }
    return true;
  }

  // The update and all that it needs come first.
  void TakeFirst(PlanNode* update) {
    updates_[update->inputs[0].node].push_back(update);
    std::vector<const PlanNode*> open = {update};
    while (!open.empty()) {
      const PlanNode* const node = open.back();
      open.pop_back();
      if (!first_.insert(node).second) continue;
      for (const PlanValue& input : node->inputs) open.push_back(input.node);
      open.insert(open.end(), node->control_inputs.begin(), node->control_inputs.end());
    }
  }

  // Who reads a variable, or an early read of it, does so behind its early updates.
  Status PutBehind(PlanNode* reader, PlanValue* input) {
    PlanNode* const source = input->node;
    const auto own = updates_.find(source);
    if (own != updates_.end()) {
      reader->control_inputs.insert(reader->control_inputs.end(), own->second.begin(),
                                    own->second.end());
      Tell(*reader, *source);
      return OkStatus();
    }
    if (!source->is("Identity") || first_.count(source) == 0) return OkStatus();
    const auto read = updates_.find(source->inputs[0].node);
    if (read == updates_.end()) return OkStatus();
    PlanNode*& late = late_[source];
    if (late == nullptr) {
      NodeSpec spec{source->name() + "/late", "Identity", {}, {},
                    {{"T", source->def->output(0).dtype}}, ""};
      ASSIGN_OR_RETURN(late, plan_->AddNew(std::move(spec), source->inputs, source->device));
      late->control_inputs = read->second;
      Tell(*late, *read->first);
    }
    input->node = late;
    return OkStatus();
  }

  void Tell(const PlanNode& reader, const PlanNode& variable) {
    record_->changes.push_back(
        StrCat(reader.name(), " waits for the update of ", variable.name()));
  }

  PlanGraph* plan_;
  PassRecord* record_;
  std::map<const PlanNode*, std::vector<PlanNode*>> updates_;  // early ones, by variable
  std::unordered_set<const PlanNode*> first_;
  std::map<const PlanNode*, PlanNode*> late_;  // reads again, by the early read
};

}  // namespace

Status OrderUpdates(PlanGraph* plan, PassRecord* record) {
  return UpdateOrder(plan, record).Run();
}

}  // namespace tfbuild
