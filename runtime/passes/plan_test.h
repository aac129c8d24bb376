#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "passes/passes.h"
#include "passes/prune.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {

inline Node* Add(Graph* graph, const std::string& name, const std::string& op,
                 std::vector<Endpoint> inputs, AttrMap attrs = {},
                 std::vector<Node*> control = {}) {
  const Result<Node*> node =
      graph->AddNode({name, op, std::move(inputs), std::move(control), std::move(attrs), ""});
  EXPECT_OK(node);
  return node.ok() ? *node : nullptr;
}

inline Node* Const(Graph* graph, const std::string& name, const Tensor& value) {
  return Add(graph, name, "Const", {}, {{"value", value}, {"dtype", value.dtype()}});
}

inline Node* Placeholder(Graph* graph, const std::string& name, PartialShape shape) {
  return Add(graph, name, "Placeholder", {}, {{"dtype", DType::kFloat}, {"shape", shape}});
}

// The plan of a fetch after one pass, as the names of its nodes.
inline std::vector<std::string> NodesAfter(const Pass& pass, const Graph& graph,
                                           const Endpoint& fetch, PassRecord* record = nullptr) {
  Result<PlanGraph> plan = Prune(graph, {{}, {fetch}, {}});
  EXPECT_OK(plan);
  for (PlanNode* node : plan->nodes()) node->device = CpuDevice();
  PassRecord ignored;
  EXPECT_OK(pass.run(&*plan, record == nullptr ? &ignored : record));
  EXPECT_OK(plan->Sort());
  std::vector<std::string> names;
  for (const PlanNode* node : plan->nodes()) names.push_back(StrCat(node->name(), "=", node->op()));
  std::sort(names.begin(), names.end());
  return names;
}

using Names = std::vector<std::string>;
inline void ExpectNames(const Names& actual, const Names& expected) {
  EXPECT_EQ(StrJoin(actual, " "), StrJoin(expected, " "));
}

}  // namespace testing
}  // namespace tfbuild
