// What calls become in a plan.
#include <algorithm>

#include "passes/passes.h"
#include "passes/prune.h"
#include "testing/function_maker.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

// The ops of the plan of `y` after its calls were written out, by name.
std::string OpsOf(const GraphDef& graph_def, PassRecord* record) {
  Graph graph;
  EXPECT_OK(ImportGraphDef(graph_def, {}, &graph));
  Result<PlanGraph> plan = Prune(graph, {{}, {{graph.FindNode("y"), 0}}, {}});
  EXPECT_OK(plan);
  EXPECT_OK(InlineFunctions(&*plan, record));
  EXPECT_OK(plan->Sort());
  std::vector<std::string> names;
  for (const PlanNode* node : plan->nodes()) names.push_back(StrCat(node->name(), "=", node->op()));
  std::sort(names.begin(), names.end());
  return StrJoin(names, " ");
}

GraphDef Start(const std::vector<FunctionText>& functions) {
  GraphDef graph_def;
  graph_def.nodes.push_back({"x", "Placeholder", {}, "", {{"dtype", DType::kFloat}}});
  graph_def.library = EncodeLibrary(functions);
  return graph_def;
}

TEST(InlineFunctions, ABodyTakesThePlaceOfACall) {
  GraphDef graph_def = Start({Polynomial("p")});
  graph_def.nodes.push_back(CallNode("call", "p", {"x"}));
  graph_def.nodes.push_back(FloatNode("y", "Neg", {"call"}));
  PassRecord record;
  EXPECT_EQ(OpsOf(graph_def, &record), "call/square=Mul call/sum=AddV2 x=Placeholder y=Neg");
  EXPECT_EQ(record.changes[0], "call (StatefulPartitionedCall) is written out");
}

TEST(InlineFunctions, AnIfBecomesSwitchesAndMerges) {
  GraphDef graph_def = Start({Negative("n")});
  graph_def.nodes.push_back({"pred", "Placeholder", {}, "", {{"dtype", DType::kBool}}});
  const std::vector<DType> types{DType::kFloat};
  graph_def.nodes.push_back(
      {"y", "StatelessIf", {"pred", "x"}, "",
       {{"Tcond", DType::kBool}, {"Tin", types}, {"Tout", types},
        {"then_branch", FunctionNamed("n")}, {"else_branch", FunctionNamed("n")}}});
  PassRecord record;
  EXPECT_EQ(OpsOf(graph_def, &record),
            "pred=Placeholder x=Placeholder y/argument=Switch y/else/minus=Neg y/merge=Merge "
            "y/then/minus=Neg");
}

// Each function calls the one before twice: what they grow to is limited.
TEST(InlineFunctions, WhatGrowsWithoutMeasureIsRefused) {
  std::vector<FunctionText> functions{Negative("f0")};
  for (int i = 1; i < 40; ++i) {
    const std::string before = StrCat("f", i - 1);
    functions.push_back(Negative(StrCat("f", i)));
    functions.back().nodes = {CallNode("a", before, {"x"}), CallNode("b", before, {"a:output:0"})};
    functions.back().results["y"] = "b:output:0";
  }
  GraphDef graph_def = Start(functions);
  graph_def.nodes.push_back(CallNode("y", "f39", {"x"}));
  Graph graph;
  ASSERT_OK(ImportGraphDef(graph_def, {}, &graph));
  Result<PlanGraph> plan = Prune(graph, {{}, {{graph.FindNode("y"), 0}}, {}});
  ASSERT_OK(plan);
  PassRecord record;
  EXPECT_ERROR(InlineFunctions(&*plan, &record), Code::kResourceExhausted, "more than");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
