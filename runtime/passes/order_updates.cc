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
    for (PlanNode* node : nodes) {
      if (IsUpdate(*node)) TakeFirst(node);
    }
    if (updates_.empty()) return OkStatus();
    for (PlanNode* node : nodes) {
      if (first_.count(node) > 0) continue;
      for (PlanValue& input : node->inputs) RETURN_IF_ERROR(PutBehind(node, &input));
    }
    return OkStatus();
  }

 private:
  // An update comes first, with all that it needs, where all of it is cheap.
  void TakeFirst(PlanNode* update) {
    std::unordered_set<const PlanNode*> needed;
    std::vector<const PlanNode*> open = {update};
    while (!open.empty()) {
      const PlanNode* const node = open.back();
      open.pop_back();
      if (first_.count(node) > 0 || !needed.insert(node).second) continue;
      if (!IsCheap(*node)) return;
      for (const PlanValue& input : node->inputs) open.push_back(input.node);
      // Looked at before the inputs: what most updates of a training step wait for is not cheap.
      open.insert(open.end(), node->control_inputs.begin(), node->control_inputs.end());
    }
    first_.insert(needed.begin(), needed.end());
    updates_[update->inputs[0].node].push_back(update);
  }

  // Who reads a variable, or an early read of it, does so behind its early updates.
  Status PutBehind(PlanNode* reader, PlanValue* input) {
    PlanNode* const source = input->node;
    const auto own = updates_.find(source);
    const bool early_read = source->is("Identity") && first_.count(source) > 0;
    if (own == updates_.end() && !early_read) return OkStatus();
    if (IsCheap(*reader) && !IsUpdate(*reader)) return OkStatus();
    if (own != updates_.end()) {
      reader->control_inputs.insert(reader->control_inputs.end(), own->second.begin(),
                                    own->second.end());
      Note(*reader, *source);
      return OkStatus();
    }
    const auto read = updates_.find(source->inputs[0].node);
    if (read == updates_.end()) return OkStatus();
    PlanNode*& late = late_[source];
    if (late == nullptr) {
      NodeSpec spec{source->name() + "/late", "Identity", {}, {},
                    {{"T", source->def->output(0).dtype}}, ""};
      ASSIGN_OR_RETURN(late, plan_->AddNew(std::move(spec), source->inputs, source->device));
      late->control_inputs = read->second;
      Note(*late, *read->first);
    }
    input->node = late;
    return OkStatus();
  }

  void Note(const PlanNode& reader, const PlanNode& variable) {
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
