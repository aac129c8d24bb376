#pragma once

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "kernels/framework/op_kernel.h"
#include "passes/plan_graph.h"

namespace tfbuild {

// Who needs what in a plan, for passes that make one node of several.
class PlanUses {
 public:
  explicit PlanUses(const PlanGraph& plan) {
    for (PlanNode* node : plan.nodes()) {
      for (const PlanValue& input : node->inputs) readers_[input.node].push_back(node);
      waited_for_.insert(node->control_inputs.begin(), node->control_inputs.end());
    }
    waited_for_.insert(plan.targets.begin(), plan.targets.end());
    for (const PlanValue& fetch : plan.fetches) fetched_.insert(fetch.node);
  }

  // Each as often as it reads.
  const std::vector<PlanNode*>& ReadersOf(const PlanNode& node) const {
    static const auto* none = new std::vector<PlanNode*>;
    const auto found = readers_.find(&node);
    return found == readers_.end() ? *none : found->second;
  }

  // Whether some read the node, all of them `inside`, and nobody else needs it.
  template <typename Inside>
  bool OnlyReadBy(const PlanNode& node, const Inside& inside) const {
    if (fetched_.count(&node) > 0 || waited_for_.count(&node) > 0) return false;
    const std::vector<PlanNode*>& readers = ReadersOf(node);
    return !readers.empty() && std::all_of(readers.begin(), readers.end(), inside);
  }

 private:
  std::unordered_map<const PlanNode*, std::vector<PlanNode*>> readers_;
  std::unordered_set<const PlanNode*> fetched_;
  std::unordered_set<const PlanNode*> waited_for_;
};

// As PlanGraph::Replace; who waited for a node waits for what takes its first output's place.
inline void ReplaceNodes(const std::map<PlanValue, PlanValue>& replaced, PlanGraph* plan) {
  plan->Replace(replaced);
  const auto follow = [&replaced](PlanNode*& node) {
    const auto found = replaced.find({node, 0});
    if (found != replaced.end()) node = found->second.node;
  };
  for (PlanNode* node : plan->nodes()) {
    for (PlanNode*& control : node->control_inputs) follow(control);
  }
  for (PlanNode*& target : plan->targets) follow(target);
}

// Whether a kind of device has a kernel of that op whose type T is `dtype`.
inline bool HasKernel(const char* op, DeviceType device, DType dtype) {
  const auto [begin, end] = KernelRegistry::Global().all().equal_range(op);
  return std::any_of(begin, end, [&](const auto& entry) {
    const Kernel& kernel = entry.second.kernel;
    return kernel.device() == device && !kernel.types().empty() &&
           kernel.types().front().second == dtype;
  });
}

}  // namespace tfbuild
