// Passes that have no file of tests of their own: what they take away, and what they leave.
#include "passes/passes.h"

#include <algorithm>

#include "passes/plan_test.h"

namespace tfbuild {
namespace testing {
namespace {

const Pass kFold{"fold_constants", &FoldConstants};
const Pass kMerge{"common_subexpressions", &MergeCommonSubexpressions};
const Pass kFuse{"fuse", &Fuse};

// A variable, its read, and a step that takes its place with half of what was read.
struct Halved {
  explicit Halved(Graph* graph) {
    variable = Add(graph, "v", "VariableV2", {},
                   {{"dtype", DType::kFloat}, {"shape", PartialShape({2})}});
    read = Add(graph, "read", "Identity", {{variable, 0}});
    Node* const half = Const(graph, "half", MakeTensor<float>({}, {0.5}));
    update = Add(graph, "update", "Assign",
                 {{variable, 0}, {Add(graph, "halved", "Mul", {{read, 0}, {half, 0}}), 0}});
  }
  Node *variable, *read, *update;
};

// "node <- input input ^control" for each node of the plan behind OrderUpdates, but constants.
std::vector<std::string> EdgesInOrder(const Graph& graph, const RunSignature& signature) {
  Result<PlanGraph> plan = Prune(graph, signature);
  EXPECT_OK(plan);
  for (PlanNode* node : plan->nodes()) node->device = CpuDevice();
  PassRecord record;
  EXPECT_OK(OrderUpdates(&*plan, &record));
  EXPECT_OK(plan->Sort());
  std::vector<std::string> edges;
  for (const PlanNode* node : plan->nodes()) {
    if (node->is("Const")) continue;
    std::string text = StrCat(node->name(), " <-");
    for (const PlanValue& input : node->inputs) text += StrCat(" ", input.node->name());
    for (const PlanNode* control : node->control_inputs) text += StrCat(" ^", control->name());
    edges.push_back(text);
  }
  std::sort(edges.begin(), edges.end());
  return edges;
}

TEST(OrderUpdates, WhoReadsSlowlySeesTheNewValue) {
  Graph graph;
  const Halved made(&graph);
  Node* const slow = Add(&graph, "slow", "Softmax", {{made.read, 0}});
  Node* const direct = Add(&graph, "direct", "L2Loss", {{made.variable, 0}});
  const auto edges = EdgesInOrder(graph, {{}, {{slow, 0}, {direct, 0}}, {made.update}});
  EXPECT_EQ(StrJoin(edges, "; "),
            "direct <- v ^update; halved <- read half; read <- v; read/late <- v ^update; "
            "slow <- read/late; update <- v halved; v <-");
}

TEST(OrderUpdates, AnUpdateThatNeedsSomethingSlowStaysWhereItIs) {
  Graph graph;
  const Halved made(&graph);
  Node* const slow = Add(&graph, "slow", "Softmax", {{made.read, 0}});
  Node* const late = Add(&graph, "late", "Assign", {{made.variable, 0}, {slow, 0}});
  EXPECT_EQ(StrJoin(EdgesInOrder(graph, {{}, {}, {late}}), "; "),
            "late <- v slow; read <- v; slow <- read; v <-");
  // Beside an early one it comes behind it.
  EXPECT_EQ(StrJoin(EdgesInOrder(graph, {{}, {}, {late, made.update}}), "; "),
            "halved <- read half; late <- v slow ^update; read <- v; read/late <- v ^update; "
            "slow <- read/late; update <- v halved; v <-");
}

TEST(OrderUpdates, EarlyUpdatesReadTheOldValuesOfEachOther) {
  Graph graph;
  const auto variable = [&](const char* name) {
    return Add(&graph, name, "VariableV2", {},
               {{"dtype", DType::kFloat}, {"shape", PartialShape({2})}});
  };
  Node *a = variable("a"), *b = variable("b");
  Node* const read_a = Add(&graph, "read_a", "Identity", {{a, 0}});
  Node* const read_b = Add(&graph, "read_b", "Identity", {{b, 0}});
  Node* const to_a = Add(&graph, "to_a", "Assign", {{a, 0}, {read_b, 0}});
  Node* const to_b = Add(&graph, "to_b", "Assign", {{b, 0}, {read_a, 0}});
  EXPECT_EQ(StrJoin(EdgesInOrder(graph, {{}, {}, {to_a, to_b}}), "; "),
            "a <-; b <-; read_a <- a; read_b <- b; to_a <- a read_b; to_b <- b read_a");
}

TEST(Prune, KeepsWhatIsNeeded) {
  Graph graph;
  Node* x = Placeholder(&graph, "x", {2});
  Node* y = Add(&graph, "y", "Relu", {{x, 0}});
  Add(&graph, "unused", "Relu", {{y, 0}});
  const Result<PlanGraph> plan = Prune(graph, {{{x, 0}}, {{y, 0}}, {}});
  ASSERT_OK(plan);
  EXPECT_EQ(plan->num_nodes(), 2);
  EXPECT_EQ(plan->feeds[0]->feed, 0);
}

TEST(FoldConstants, ComputesWhatDependsOnConstantsAlone) {
  Graph graph;
  Node* a = Const(&graph, "a", MakeTensor<float>({2}, {1, 2}));
  Node* sum = Add(&graph, "sum", "AddV2", {{a, 0}, {a, 0}});
  Node* x = Placeholder(&graph, "x", {2});
  Node* result = Add(&graph, "result", "Mul", {{x, 0}, {sum, 0}});
  PassRecord record;
  ExpectNames(NodesAfter(kFold, graph, {result, 0}, &record),
              {"result=Mul", "sum=Const", "x=Placeholder"});
  EXPECT_EQ(record.changes.size(), size_t{1});
}

TEST(FoldConstants, KnowsShapesWithoutValues) {
  Graph graph;
  Node* x = Placeholder(&graph, "x", {2, 3});
  Node* shape = Add(&graph, "shape", "Shape", {{x, 0}});
  ExpectNames(NodesAfter(kFold, graph, {shape, 0}), {"shape=Const"});
  Node* open = Placeholder(&graph, "open", {2, kUnknownDim});
  Node* unknown = Add(&graph, "unknown", "Shape", {{open, 0}});
  ExpectNames(NodesAfter(kFold, graph, {unknown, 0}), {"open=Placeholder", "unknown=Shape"});
}

// A constant that waits for a Switch would be there on both sides.
TEST(FoldConstants, LeavesTheShapeOfOneSide) {
  Graph graph;
  Node* x = Placeholder(&graph, "x", {2, 3});
  Node* taken = Add(&graph, "taken", "Placeholder", {}, {{"dtype", DType::kBool}});
  Node* sides = Add(&graph, "sides", "Switch", {{x, 0}, {taken, 0}});
  Node* shape = Add(&graph, "shape", "Shape", {{sides, 1}});
  ExpectNames(NodesAfter(kFold, graph, {shape, 0}),
              {"shape=Shape", "sides=Switch", "taken=Placeholder", "x=Placeholder"});
}

TEST(FoldConstants, LeavesWhatHasEffectsAndWhatFails) {
  Graph graph;
  Node* x = Placeholder(&graph, "x", {2});
  Node* effect = Add(&graph, "effect", "NoOp", {});
  Node* after = Add(&graph, "after", "Relu", {{x, 0}}, {}, {effect});
  Node* shape = Add(&graph, "shape", "Shape", {{after, 0}});
  ExpectNames(NodesAfter(kFold, graph, {shape, 0}),
              {"after=Relu", "effect=NoOp", "shape=Const", "x=Placeholder"});
  Node* one = Const(&graph, "one", MakeTensor<int32_t>({1}, {1}));
  Node* zero = Const(&graph, "zero", MakeTensor<int32_t>({1}, {0}));
  Node* fails = Add(&graph, "fails", "FloorDiv", {{one, 0}, {zero, 0}});
  ExpectNames(NodesAfter(kFold, graph, {fails, 0}), {"fails=FloorDiv", "one=Const", "zero=Const"});
  Node* sizes = Const(&graph, "sizes", MakeTensor<int32_t>({1}, {2}));
  Node* random = Add(&graph, "random", "RandomUniform", {{sizes, 0}}, {{"dtype", DType::kFloat}});
  ExpectNames(NodesAfter(kFold, graph, {random, 0}), {"random=RandomUniform", "sizes=Const"});
}

// A step's time limit ends what a kernel does with it; while planning nothing would.
TEST(FoldConstants, LeavesLongTexts) {
  Graph graph;
  const std::string text(size_t{1} << 20, 'a');
  Node* texts = Const(&graph, "texts", Tensor::Vector(std::vector<std::string>{text, text}));
  Node* times = Const(&graph, "times", MakeTensor<int32_t>({1}, {2}));
  Node* four = Add(&graph, "four", "Tile", {{texts, 0}, {times, 0}});
  ExpectNames(NodesAfter(kFold, graph, {four, 0}), {"four=Const"});
  Node* more = Const(&graph, "more", MakeTensor<int32_t>({1}, {10}));
  Node* twenty = Add(&graph, "twenty", "Tile", {{texts, 0}, {more, 0}});
  Node* lengths = Add(&graph, "lengths", "StringLength", {{twenty, 0}});
  ExpectNames(NodesAfter(kFold, graph, {lengths, 0}),
              {"lengths=StringLength", "more=Const", "texts=Const", "twenty=Tile"});
}

TEST(CommonSubexpressions, ComputeOnce) {
  Graph graph;
  Node* x = Placeholder(&graph, "x", {2});
  Node* a = Add(&graph, "a", "Relu", {{x, 0}});
  Node* b = Add(&graph, "b", "Relu", {{x, 0}});
  Node* c = Add(&graph, "c", "Neg", {{a, 0}});
  Node* d = Add(&graph, "d", "Neg", {{b, 0}});
  Node* sum = Add(&graph, "sum", "AddV2", {{c, 0}, {d, 0}});
  ExpectNames(NodesAfter(kMerge, graph, {sum, 0}), {"a=Relu", "c=Neg", "sum=AddV2", "x=Placeholder"});
}

TEST(CommonSubexpressions, LeaveRandomNumbersApart) {
  Graph graph;
  Node* sizes = Const(&graph, "sizes", MakeTensor<int32_t>({1}, {2}));
  Node* a = Add(&graph, "a", "RandomUniform", {{sizes, 0}}, {{"dtype", DType::kFloat}});
  Node* b = Add(&graph, "b", "RandomUniform", {{sizes, 0}}, {{"dtype", DType::kFloat}});
  Node* sum = Add(&graph, "sum", "AddV2", {{a, 0}, {b, 0}});
  EXPECT_EQ(NodesAfter(kMerge, graph, {sum, 0}).size(), size_t{4});
}

TEST(Fuse, MakesOneLoopOfWhatOnlyEachOtherRead) {
  Graph graph;
  Node* x = Placeholder(&graph, "x", {2, kUnknownDim});
  Node* row = Placeholder(&graph, "row", {3});
  Node* sum = Add(&graph, "sum", "AddV2", {{x, 0}, {row, 0}});
  Node* gate = Add(&graph, "gate", "Sigmoid", {{sum, 0}});
  Node* result = Add(&graph, "result", "Mul", {{sum, 0}, {gate, 0}});
  PassRecord record;
  // The sum's shape is known better than that of x, and the others have it too.
  ExpectNames(NodesAfter(kFuse, graph, {result, 0}, &record),
              {"result=_ElementwiseChain", "row=Placeholder", "x=Placeholder"});
  EXPECT_EQ(record.changes[0],
            std::string("sum (AddV2), gate (Sigmoid), result (Mul) are one"));
}

TEST(Fuse, LeavesWhatIsNeededElsewhere) {
  Graph graph;
  Node* x = Placeholder(&graph, "x", {2});
  Node* a = Add(&graph, "a", "Tanh", {{x, 0}});
  Node* b = Add(&graph, "b", "Neg", {{a, 0}});
  Node* axis = Const(&graph, "axis", MakeTensor<int32_t>({1}, {0}));
  Node* total = Add(&graph, "total", "Sum", {{a, 0}, {axis, 0}}, {{"keep_dims", true}});
  Node* result = Add(&graph, "result", "AddV2", {{b, 0}, {total, 0}});
  ExpectNames(NodesAfter(kFuse, graph, {result, 0}),
              {"a=Tanh", "axis=Const", "result=_ElementwiseChain", "total=Sum", "x=Placeholder"});
  // What is fetched, and what somebody waits for.
  Result<PlanGraph> plan = Prune(graph, {{}, {{b, 0}, {a, 0}}, {}});
  for (PlanNode* node : plan->nodes()) node->device = CpuDevice();
  PassRecord record;
  EXPECT_OK(Fuse(&*plan, &record));
  EXPECT_TRUE(record.changes.empty());
  Node* after = Add(&graph, "after", "Neg", {{b, 0}}, {}, {a});
  ExpectNames(NodesAfter(kFuse, graph, {after, 0}),
              {"a=Tanh", "after=Neg", "b=Neg", "x=Placeholder"});
}

TEST(Fuse, IsWaitedForInPlaceOfItsLastOp) {
  Graph graph;
  Node* x = Placeholder(&graph, "x", {2});
  Node* a = Add(&graph, "a", "Tanh", {{x, 0}});
  Node* b = Add(&graph, "b", "Neg", {{a, 0}});
  Node* after = Add(&graph, "after", "NoOp", {}, {}, {b});
  Result<PlanGraph> plan = Prune(graph, {{}, {}, {after, b}});
  for (PlanNode* node : plan->nodes()) node->device = CpuDevice();
  PassRecord record;
  EXPECT_OK(Fuse(&*plan, &record));
  EXPECT_OK(plan->Sort());
  EXPECT_EQ(plan->targets[1]->op(), std::string("_ElementwiseChain"));
  EXPECT_EQ(plan->targets[0]->control_inputs[0], plan->targets[1]);
  EXPECT_EQ(plan->num_nodes(), 3);
}

TEST(Fuse, LeavesSmallThingsThatBecomeLarge) {
  Graph graph;
  Node* x = Placeholder(&graph, "x", {100, 3});
  Node* column = Placeholder(&graph, "column", {100, 1});
  Node* root = Add(&graph, "root", "Rsqrt", {{column, 0}});
  Node* result = Add(&graph, "result", "Mul", {{x, 0}, {root, 0}});
  ExpectNames(NodesAfter(kFuse, graph, {result, 0}),
              {"column=Placeholder", "result=Mul", "root=Rsqrt", "x=Placeholder"});
}

TEST(Fuse, GoesBehindProducts) {
  Graph graph;
  Node* a = Placeholder(&graph, "a", {kUnknownDim, 4});
  Node* b = Placeholder(&graph, "b", {4, 3});
  Node* bias = Placeholder(&graph, "bias", {3});
  Node* product = Add(&graph, "product", "MatMul", {{a, 0}, {b, 0}});
  Node* sum = Add(&graph, "sum", "BiasAdd", {{product, 0}, {bias, 0}});
  Node* result = Add(&graph, "result", "Relu", {{sum, 0}});
  ExpectNames(NodesAfter(kFuse, graph, {result, 0}),
              {"a=Placeholder", "b=Placeholder", "bias=Placeholder", "result=_MatMulChain"});
  Node* image = Placeholder(&graph, "image", {1, 5, 5, 2});
  Node* filter = Placeholder(&graph, "filter", {3, 3, 2, 2});
  Node* convolved = Add(&graph, "convolved", "Conv2D", {{image, 0}, {filter, 0}},
                        {{"strides", std::vector<int64_t>{1, 1, 1, 1}},
                         {"padding", std::string("SAME")}});
  Node* residual = Add(&graph, "residual", "AddV2", {{image, 0}, {convolved, 0}});
  ExpectNames(NodesAfter(kFuse, graph, {residual, 0}),
              {"filter=Placeholder", "image=Placeholder", "residual=_Conv2DChain"});
}

TEST(Fuse, GoesRowByRowWhereRowsAreReduced) {
  Graph graph;
  Node* x = Placeholder(&graph, "x", {kUnknownDim, 100});
  Node* axis = Const(&graph, "axis", MakeTensor<int32_t>({1}, {1}));
  const AttrMap keep{{"keep_dims", true}};
  Node* mean = Add(&graph, "mean", "Mean", {{x, 0}, {axis, 0}}, keep);
  Node* difference = Add(&graph, "difference", "Sub", {{x, 0}, {mean, 0}});
  Node* square = Add(&graph, "square", "Square", {{difference, 0}});
  Node* variance = Add(&graph, "variance", "Mean", {{square, 0}, {axis, 0}}, keep);
  Node* root = Add(&graph, "root", "Rsqrt", {{variance, 0}});
  Node* result = Add(&graph, "result", "Mul", {{difference, 0}, {root, 0}});
  ExpectNames(NodesAfter(kFuse, graph, {result, 0}), {"result=_RowChain", "x=Placeholder"});
  // It may end in a reduction; one whose result somebody else reads is none of its steps.
  Node* sum = Add(&graph, "sum", "Sum", {{result, 0}, {axis, 0}});
  ExpectNames(NodesAfter(kFuse, graph, {sum, 0}), {"sum=_RowChain", "x=Placeholder"});
  Node* shifted = Add(&graph, "shifted", "AddV2", {{result, 0}, {variance, 0}}, {}, {variance});
  ExpectNames(NodesAfter(kFuse, graph, {shifted, 0}),
              {"difference=_RowChain", "result=Mul", "root=Rsqrt", "shifted=AddV2",
               "variance=_RowChain", "x=Placeholder"});
}

TEST(Fuse, LeavesOtherReductions) {
  Graph graph;
  const auto sum_of_squares = [&](const std::string& name, PartialShape shape, int32_t axis) {
    Node* x = Placeholder(&graph, name + "_x", std::move(shape));
    Node* square = Add(&graph, name + "_square", "Square", {{x, 0}});
    Node* axes = Const(&graph, name + "_axes", MakeTensor<int32_t>({}, {static_cast<double>(axis)}));
    return Add(&graph, name, "Sum", {{square, 0}, {axes, 0}});
  };
  const auto is_left = [&](Node* sum) {
    const std::vector<std::string> nodes = NodesAfter(kFuse, graph, {sum, 0});
    return std::count(nodes.begin(), nodes.end(), sum->name() + "=Sum") == 1;
  };
  EXPECT_TRUE(!is_left(sum_of_squares("rows", {3, 64}, -1)));
  EXPECT_TRUE(is_left(sum_of_squares("columns", {64, 64}, 0)));
  EXPECT_TRUE(is_left(sum_of_squares("short", {64, 8}, 1)));
  EXPECT_TRUE(is_left(sum_of_squares("long", {2, 1000000}, 1)));
  EXPECT_TRUE(is_left(sum_of_squares("unknown", {2, kUnknownDim}, 1)));
}

TEST(Passes, AreSwitchedOffByNameAndReportWhatTheyDid) {
  Graph graph;
  Node* a = Const(&graph, "a", MakeTensor<float>({2}, {1, 2}));
  Node* sum = Add(&graph, "sum", "AddV2", {{a, 0}, {a, 0}});
  const auto run = [&](PassOptions options) {
    Result<PlanGraph> plan = Prune(graph, {{}, {{sum, 0}}, {}});
    for (PlanNode* node : plan->nodes()) node->device = CpuDevice();
    return RunPasses(options, &*plan);
  };
  const auto all = run({{}, true});
  ASSERT_OK(all);
  const PassRecord& folding = (*all)[1];
  EXPECT_EQ(folding.changes[0], std::string("sum (AddV2) is constant"));
  EXPECT_EQ(folding.text, std::string("sum = Const() on CPU:0\n"));
  EXPECT_TRUE(folding.graphviz.find("digraph plan") == 0);
  const auto none = run({{"all"}, false});
  ASSERT_OK(none);
  EXPECT_EQ(none->size(), size_t{1});  // partition
  EXPECT_ERROR(run({{"fold"}, false}), Code::kInvalidArgument, "there is no pass 'fold'");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
