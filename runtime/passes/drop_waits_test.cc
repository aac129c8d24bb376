// What is waited for in vain, and what is not.
#include "passes/plan_test.h"

namespace tfbuild {
namespace testing {
namespace {

const Pass kDrop{"drop_waits", &DropWaits};

// An effect, a value that nobody reads and that stands on it, and one that waits for that value.
TEST(DropWaits, LeavesOutWhatNobodyReads) {
  Graph graph;
  Node* x = Placeholder(&graph, "x", {2});
  Node* sizes = Const(&graph, "sizes", MakeTensor<int32_t>({1}, {2}));
  Node* effect = Add(&graph, "effect", "RandomUniform", {{sizes, 0}}, {{"dtype", DType::kFloat}});
  Node* unread = Add(&graph, "unread", "Neg", {{effect, 0}});
  Node* more = Add(&graph, "more", "Tanh", {{unread, 0}});
  Node* result = Add(&graph, "result", "Relu", {{x, 0}}, {}, {more});
  const Result<PlanGraph> plan = [&] {
    Result<PlanGraph> made = Prune(graph, {{}, {{result, 0}}, {}});
    PassRecord record;
    EXPECT_OK(DropWaits(&*made, &record));
    EXPECT_EQ(record.changes.size(), size_t{1});
    EXPECT_OK(made->Sort());
    return made;
  }();
  EXPECT_EQ(plan->num_nodes(), 4);
  const auto& controls = plan->fetches[0].node->control_inputs;
  EXPECT_EQ(controls.size(), size_t{1});
  EXPECT_EQ(controls.at(0)->name(), std::string("effect"));
}

TEST(DropWaits, WaitsForWhatIsReadAndForBranches) {
  Graph graph;
  Node* x = Placeholder(&graph, "x", {2});
  Node* read = Add(&graph, "read", "Neg", {{x, 0}});
  Node* pred = Add(&graph, "pred", "Placeholder", {}, {{"dtype", DType::kBool}});
  Node* both = Add(&graph, "both", "Switch", {{x, 0}, {pred, 0}});
  Node* taken = Add(&graph, "taken", "Identity", {{both, 1}});
  Node* unread = Add(&graph, "unread", "Neg", {{taken, 0}});
  Node* result = Add(&graph, "result", "Relu", {{x, 0}}, {}, {read, unread});
  Node* sum = Add(&graph, "sum", "AddV2", {{result, 0}, {read, 0}});
  ExpectNames(NodesAfter(kDrop, graph, {sum, 0}),
              {"both=Switch", "pred=Placeholder", "read=Neg", "result=Relu", "sum=AddV2",
               "taken=Identity", "x=Placeholder"});
}

TEST(DropWaits, UntiesTheValuesOfATuple) {
  Graph graph;
  Node* x = Placeholder(&graph, "x", {2});
  Node* a = Add(&graph, "a", "Neg", {{x, 0}});
  Node* b = Add(&graph, "b", "Tanh", {{x, 0}});
  Node* tied = Add(&graph, "tied", "NoOp", {}, {}, {a, b});
  Node* first = Add(&graph, "first", "Identity", {{a, 0}}, {}, {tied});
  Node* second = Add(&graph, "second", "Identity", {{b, 0}}, {}, {tied});
  ExpectNames(NodesAfter(kDrop, graph, {first, 0}), {"a=Neg", "first=Identity", "x=Placeholder"});
  // A group that is run by name runs what is in it.
  Result<PlanGraph> plan = Prune(graph, {{}, {{second, 0}}, {tied}});
  PassRecord record;
  EXPECT_OK(DropWaits(&*plan, &record));
  EXPECT_OK(plan->Sort());
  EXPECT_EQ(plan->num_nodes(), 5);
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
