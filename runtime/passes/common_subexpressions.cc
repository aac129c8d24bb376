// Nodes that compute the same from the same become one.
#include <unordered_map>

#include "graph/attr_wire.h"
#include "passes/passes.h"

namespace tfbuild {
namespace {

// Constants up to this are compared by their bytes.
constexpr size_t kMaxConstant = 4096;

bool IsLargeConstant(const PlanNode& node) {
  const Result<Tensor> value = node.def->Attr<Tensor>("value");
  return value.ok() && value->num_bytes() > kMaxConstant;
}

// The same text for nodes that compute the same.
std::string KeyOf(const PlanNode& node) {
  std::string key = StrCat(node.op(), "|", node.device->name());
  for (const auto& [name, value] : node.def->attrs()) {
    if (name[0] != '_') key += StrCat("|", name, "=", SerializeAttrValue(value));
  }
  for (const PlanValue& input : node.inputs) {
    key += StrCat("|", input.node->position, ":", input.index);
  }
  for (const PlanNode* control : node.control_inputs) key += StrCat("|^", control->position);
  return key;
}

}  // namespace

Status MergeCommonSubexpressions(PlanGraph* plan, PassRecord* record) {
  std::unordered_map<std::string, PlanNode*> first;
  std::unordered_map<PlanNode*, PlanNode*> merged;
  // In their order, so that what reads merged nodes is compared by what they have become.
  for (PlanNode* node : plan->nodes()) {
    for (PlanValue& input : node->inputs) {
      const auto found = merged.find(input.node);
      if (found != merged.end()) input.node = found->second;
    }
    for (PlanNode*& control : node->control_inputs) {
      const auto found = merged.find(control);
      if (found != merged.end()) control = found->second;
    }
    if (!IsPure(*node) || IsLargeConstant(*node)) continue;
    const auto [known, is_new] = first.emplace(KeyOf(*node), node);
    if (is_new) continue;
    merged[node] = known->second;
    record->changes.push_back(StrCat(node->name(), " is ", known->second->name()));
  }
  std::map<PlanValue, PlanValue> replaced;  // what closes a loop, and fetches
  for (const auto& [node, kept] : merged) {
    for (int i = 0; i < node->def->num_outputs(); ++i) replaced[{node, i}] = {kept, i};
  }
  plan->Replace(replaced);
  return OkStatus();
}

}  // namespace tfbuild
