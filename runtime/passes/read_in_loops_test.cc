// Who reads a variable that a loop changes, and who keeps the value from before the loop.
#include "passes/plan_test.h"

namespace tfbuild {
namespace testing {
namespace {

const Pass kRead{"read_in_loops", &ReadInLoops};

// A variable, what was read of it before a loop, both brought into that loop, and 1 that is added there.
struct Counting {
  explicit Counting(Graph* graph, bool is_constant = true) {
    const AttrMap frame = {{"frame_name", std::string("loop")}, {"is_constant", is_constant}};
    variable = Add(graph, "v", "VariableV2", {},
                   {{"dtype", DType::kFloat}, {"shape", PartialShape({})}});
    read = Add(graph, "read", "Identity", {{variable, 0}});
    entered = Add(graph, "entered", "Enter", {{read, 0}}, frame);
    Node* const reference = Add(graph, "by_reference", "RefEnter", {{variable, 0}},
                                {{"frame_name", std::string("loop")}, {"is_constant", true}});
    Node* const one = Const(graph, "one", MakeTensor<float>({}, {1}));
    Node* const one_inside = Add(graph, "one_inside", "Enter", {{one, 0}}, frame);
    update = Add(graph, "update", "AssignAdd", {{reference, 0}, {one_inside, 0}});
  }
  Node *variable, *read, *entered, *update;
};

// "reader <- what it reads" for each of these nodes behind the pass, and how many changes it reports.
std::string ReadBy(const Graph& graph, const std::vector<Node*>& readers) {
  RunSignature signature;
  for (Node* reader : readers) signature.targets.push_back(reader);
  Result<PlanGraph> plan = Prune(graph, signature);
  EXPECT_OK(plan);
  for (PlanNode* node : plan->nodes()) node->device = CpuDevice();
  PassRecord record;
  EXPECT_OK(kRead.run(&*plan, &record));
  EXPECT_OK(plan->Sort());
  std::string text = StrCat(record.changes.size(), ":");
  for (Node* reader : readers) {
    for (const PlanNode* node : plan->nodes()) {
      if (node->name() != reader->name()) continue;
      text += StrCat(" ", node->name(), " <- ", node->inputs[0].node->name(), "=",
                     node->inputs[0].node->op(), ";");
    }
  }
  return text;
}

TEST(ReadInLoops, ALoopThatChangesAVariableReadsWhatItHasWritten) {
  Graph graph;
  const Counting made(&graph);
  Node* const inside = Add(&graph, "inside", "Neg", {{made.entered, 0}}, {}, {made.update});
  Node* const outside = Add(&graph, "outside", "Neg", {{made.read, 0}});
  EXPECT_EQ(ReadBy(graph, {inside, outside, made.update}),
            "1: inside <- entered/reference=RefEnter; outside <- read=Identity; "
            "update <- by_reference=RefEnter;");
}

TEST(ReadInLoops, ABranchInTheLoopReadsItToo) {
  Graph graph;
  const Counting made(&graph);
  Node* const pred = Add(&graph, "pred", "Placeholder", {}, {{"dtype", DType::kBool}});
  Node* const pred_inside = Add(&graph, "pred_inside", "Enter", {{pred, 0}},
                                {{"frame_name", std::string("loop")}, {"is_constant", true}});
  Node* const branch = Add(&graph, "branch", "Switch", {{made.entered, 0}, {pred_inside, 0}});
  Node* const taken = Add(&graph, "taken", "Neg", {{branch, 1}}, {}, {made.update});
  EXPECT_EQ(ReadBy(graph, {taken}), "1: taken <- branch/reference=RefSwitch;");
}

TEST(ReadInLoops, AnInnerLoopReadsWhatTheOuterOneHasWritten) {
  Graph graph;
  const Counting made(&graph);
  Node* const inner = Add(&graph, "inner", "Enter", {{made.entered, 0}},
                          {{"frame_name", std::string("inner")}, {"is_constant", true}});
  Node* const reader = Add(&graph, "reader", "Neg", {{inner, 0}}, {}, {made.update});
  EXPECT_EQ(ReadBy(graph, {reader}), "1: reader <- inner/reference=RefEnter;");
}

TEST(ReadInLoops, ACopyThatSharesTheMemoryIsTheVariableAsWell) {
  Graph graph;
  const Counting made(&graph);
  Node* const copy = Add(&graph, "copy", "Identity", {{made.read, 0}});
  Node* const inside = Add(&graph, "copy_inside", "Enter", {{copy, 0}},
                           {{"frame_name", std::string("loop")}, {"is_constant", true}});
  Node* const reader = Add(&graph, "reader", "Neg", {{inside, 0}}, {}, {made.update});
  EXPECT_EQ(ReadBy(graph, {reader}), "1: reader <- copy_inside/reference=RefEnter;");
}

TEST(ReadInLoops, WhatTheLoopStartsFromIsTheValueBeforeIt) {
  Graph graph;
  const Counting made(&graph, /*is_constant=*/false);
  Node* const reader = Add(&graph, "reader", "Neg", {{made.entered, 0}}, {}, {made.update});
  EXPECT_EQ(ReadBy(graph, {reader}), "0: reader <- entered=Enter;");
}

TEST(ReadInLoops, AVariableThatLoopsOnlyReadIsReadOnce) {
  Graph graph;
  const Counting made(&graph);
  Node* const reader = Add(&graph, "reader", "Neg", {{made.entered, 0}});
  EXPECT_EQ(ReadBy(graph, {reader}), "0: reader <- entered=Enter;");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
