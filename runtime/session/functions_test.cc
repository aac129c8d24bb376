// Graphs that call functions, as sessions run them: calls, branches and loops; effects and their
// order; what goes wrong.
#include <limits>

#include "session/fake_gpu_test.h"
#include "session/graph_test.h"
#include "testing/function_maker.h"

namespace tfbuild {
namespace testing {
namespace {

const Tensor kOne = Tensor::Scalar<float>(1);

// x, a placeholder of floats, and what is added to it.
GraphDef Start(const std::vector<FunctionText>& functions) {
  GraphDef graph_def;
  graph_def.nodes.push_back({"x", "Placeholder", {}, "", {{"dtype", DType::kFloat}}});
  graph_def.library = EncodeLibrary(functions);
  return graph_def;
}

NodeDef IfNode(const std::string& op, std::vector<std::string> inputs, DType pred,
               const std::string& then_branch, const std::string& else_branch) {
  const std::vector<DType> taken(inputs.size() - 1, DType::kFloat);
  return {"y", op, std::move(inputs), "",
          {{"Tcond", pred}, {"Tin", taken}, {"Tout", std::vector<DType>{DType::kFloat}},
           {"then_branch", FunctionNamed(then_branch)},
           {"else_branch", FunctionNamed(else_branch)}}};
}

// Names in the order in which they are fetched.
Result<std::vector<Tensor>> Fetch(const GraphDef& graph_def, const std::vector<std::string>& names,
                                  const std::map<std::string, Tensor>& feeds,
                                  std::vector<std::string> disabled = {},
                                  const std::vector<Device*>& devices = {}) {
  Graph graph;
  RETURN_IF_ERROR(ImportGraphDef(graph_def, {}, &graph).status());
  SessionOptions options;
  options.passes.disabled = std::move(disabled);
  options.devices = devices;
  DirectSession session(&graph, options);
  std::vector<Endpoint> fetches;
  for (const std::string& name : names) fetches.push_back({graph.FindNode(name), 0});
  std::vector<Endpoint> fed;
  std::vector<Tensor> values;
  for (const auto& [name, value] : feeds) {
    fed.push_back({graph.FindNode(name), 0});
    values.push_back(value);
  }
  return RunOnce(&session, fetches, {}, fed, values);
}

double FetchY(const GraphDef& graph_def, float x, std::vector<std::string> disabled = {}) {
  const auto values = Fetch(graph_def, {"y"}, {{"x", Tensor::Scalar<float>(x)}}, std::move(disabled));
  EXPECT_OK(values);
  return values.ok() ? Values((*values)[0])[0] : 0;
}

TEST(Functions, ACallComputesWhatTheFunctionDoes) {
  GraphDef graph_def = Start({Polynomial("p")});
  graph_def.nodes.push_back(CallNode("half", "p", {"x"}));
  graph_def.nodes.push_back(CallNode("y", "p", {"half"}));
  EXPECT_EQ(FetchY(graph_def, 2), 42.0);
  EXPECT_EQ(FetchY(graph_def, 2, {"all"}), 42.0);
}

TEST(Functions, CallsNestAndHaveNamesOfTheirOwn) {
  FunctionText twice = Negative("twice");
  twice.nodes = {CallNode("minus", "p", {"x"}), CallNode("more", "p", {"minus:output:0"})};
  twice.results["y"] = "more:output:0";
  GraphDef graph_def = Start({Polynomial("p"), twice});
  graph_def.nodes.push_back({"y", "twice", {"x"}, "", {}});
  EXPECT_EQ(FetchY(graph_def, 2), 42.0);
}

TEST(Functions, AnIfRunsOneBranch) {
  for (const DType pred : {DType::kBool, DType::kFloat}) {
    GraphDef graph_def = Start({Polynomial("p"), Negative("n")});
    graph_def.nodes.push_back({"pred", "Placeholder", {}, "", {{"dtype", pred}}});
    graph_def.nodes.push_back(IfNode("StatelessIf", {"pred", "x"}, pred, "p", "n"));
    for (const bool taken : {true, false}) {
      const Tensor value = pred == DType::kBool ? Tensor::Scalar<bool>(taken)
                                                : Tensor::Scalar<float>(taken ? 2.5f : 0);
      const auto y = Fetch(graph_def, {"y"}, {{"x", Tensor::Scalar<float>(3)}, {"pred", value}});
      ASSERT_OK(y);
      EXPECT_EQ(Values((*y)[0])[0], taken ? 12.0 : -3.0);
    }
  }
}

// A function that takes nothing and gives a constant.
FunctionText Constant(const std::string& name, float value) {
  return {name, {}, {{"y", DType::kFloat}}, {ConstNode("c", Tensor::Scalar<float>(value))},
          {{"y", "c:output:0"}}, {}};
}

TEST(Functions, ABranchMayGiveAConstant) {
  GraphDef graph_def = Start({Constant("one", 1), Constant("two", 2)});
  graph_def.nodes.push_back({"pred", "Placeholder", {}, "", {{"dtype", DType::kBool}}});
  graph_def.nodes.push_back(IfNode("If", {"pred"}, DType::kBool, "one", "two"));
  for (const bool taken : {true, false}) {
    const auto y = Fetch(graph_def, {"y"}, {{"pred", Tensor::Scalar<bool>(taken)}});
    ASSERT_OK(y);
    EXPECT_EQ(Values((*y)[0])[0], taken ? 1.0 : 2.0);
  }
}

TEST(Functions, ACaseRunsTheBranchOfItsIndexElseTheLast) {
  for (const int32_t index : {-1, 0, 1, 2, 7}) {
    GraphDef graph_def = Start({Polynomial("p"), Negative("n"), Negative("zero")});
    graph_def.nodes.push_back(ConstNode("index", Tensor::Scalar<int32_t>(index)));
    const std::vector<FunctionAttr> branches{FunctionNamed("p"), FunctionNamed("n"),
                                             FunctionNamed("p")};
    const std::vector<DType> types{DType::kFloat};
    graph_def.nodes.push_back({"y", "Case", {"index", "x"}, "",
                               {{"branches", branches}, {"Tin", types}, {"Tout", types}}});
    EXPECT_EQ(FetchY(graph_def, 3), index == 1 ? -3.0 : 12.0);
  }
}

// Branches in branches in branches took minutes for three thousand of them, and the stack for more.
TEST(Functions, ACaseOfThousandsOfBranchesIsNotAsDeepAsTheyAreMany) {
  constexpr int32_t kBranches = 3000;
  for (const int32_t index : {-1, 1499, 1500, kBranches}) {
    GraphDef graph_def = Start({Polynomial("p"), Negative("n")});
    graph_def.nodes.push_back({"index", "Placeholder", {}, "", {{"dtype", DType::kInt32}}});
    std::vector<FunctionAttr> branches(kBranches, FunctionNamed("p"));
    branches[1500] = branches[kBranches - 1] = FunctionNamed("n");
    const std::vector<DType> types{DType::kFloat};
    graph_def.nodes.push_back({"y", "Case", {"index", "x"}, "",
                               {{"branches", branches}, {"Tin", types}, {"Tout", types}}});
    const auto y = Fetch(graph_def, {"y"}, {{"x", Tensor::Scalar<float>(3)},
                                            {"index", Tensor::Scalar<int32_t>(index)}});
    ASSERT_OK(y);
    const bool negative = index < 0 || index == 1500 || index >= kBranches - 1;
    EXPECT_EQ(Values((*y)[0])[0], negative ? -3.0 : 12.0);
  }
}

// i < limit, and (i + 1, 2 * h, limit).
std::vector<FunctionText> Doubling() {
  FunctionText cond{"cond", {{"i", DType::kFloat}, {"h", DType::kFloat}, {"limit", DType::kFloat}},
                    {{"more", DType::kBool}}, {FloatNode("less", "Less", {"i", "limit"})},
                    {{"more", "less:z:0"}}, {}};
  FunctionText body{"body", cond.inputs,
                    {{"i_out", DType::kFloat}, {"h_out", DType::kFloat}, {"l_out", DType::kFloat}},
                    {ConstNode("one", kOne), FloatNode("next", "AddV2", {"i", "one:output:0"}),
                     FloatNode("twice", "AddV2", {"h", "h"})},
                    {{"i_out", "next:z:0"}, {"h_out", "twice:z:0"}, {"l_out", "limit"}}, {}};
  return {cond, body};
}

NodeDef WhileNode(std::vector<std::string> inputs) {
  const std::vector<DType> types(inputs.size(), DType::kFloat);
  return {"loop", "While", std::move(inputs), "",
          {{"cond", FunctionNamed("cond")}, {"body", FunctionNamed("body")}, {"T", types}}};
}

TEST(Functions, AWhileGoesOnAsLongAsItsConditionHolds) {
  GraphDef graph_def = Start(Doubling());
  graph_def.nodes.push_back(ConstNode("zero", Tensor::Scalar<float>(0)));
  graph_def.nodes.push_back(ConstNode("limit", Tensor::Scalar<float>(5)));
  graph_def.nodes.push_back(WhileNode({"zero", "x", "limit"}));
  graph_def.nodes.push_back(FloatNode("y", "AddV2", {"loop:1", "loop:2"}));
  EXPECT_EQ(FetchY(graph_def, 3), 101.0);
  EXPECT_EQ(FetchY(graph_def, 3, {"all"}), 101.0);
}

TEST(Functions, BodiesRunOnTheDevicesThatHaveKernels) {
  std::vector<FunctionText> functions = Doubling();
  functions[1].nodes[2] = FloatNode("twice", "TestTwice", {"h"});
  functions[1].results["h_out"] = "twice:y:0";
  GraphDef graph_def = Start(functions);
  graph_def.nodes.push_back(ConstNode("zero", Tensor::Scalar<float>(0)));
  graph_def.nodes.push_back(ConstNode("limit", Tensor::Scalar<float>(5)));
  graph_def.nodes.push_back(WhileNode({"zero", "x", "limit"}));
  graph_def.nodes.push_back(FloatNode("y", "AddV2", {"loop:1", "loop:2"}));
  const auto y = Fetch(graph_def, {"y"}, {{"x", Tensor::Scalar<float>(3)}}, {},
                       DevicesWithFakeGpus());
  ASSERT_OK(y);
  EXPECT_EQ(Values((*y)[0])[0], 101.0);
}

TEST(Functions, LoopsAndBranchesNest) {
  // Of the outer loop the body is an If, of which one branch is the loop above.
  std::vector<FunctionText> functions = Doubling();
  FunctionText inner{"inner", {{"h", DType::kFloat}}, {{"y", DType::kFloat}},
                     {ConstNode("zero", Tensor::Scalar<float>(0)),
                      ConstNode("two", Tensor::Scalar<float>(2)),
                      WhileNode({"zero:output:0", "h", "two:output:0"})},
                     {{"y", "loop:output:1"}}, {}};
  FunctionText same{"same", inner.inputs, inner.outputs, {FloatNode("id", "Identity", {"h"})},
                    {{"y", "id:output:0"}}, {}};
  NodeDef choice = IfNode("If", {"even:z:0", "h"}, DType::kBool, "inner", "same");
  FunctionText body{"outer_body", {{"i", DType::kFloat}, {"h", DType::kFloat}},
                    {{"i_out", DType::kFloat}, {"h_out", DType::kFloat}},
                    {ConstNode("one", kOne), FloatNode("next", "AddV2", {"i", "one:output:0"}),
                     FloatNode("even", "Equal", {"i", "one:output:0"}), choice},
                    {{"i_out", "next:z:0"}, {"h_out", "y:output:0"}}, {}};
  FunctionText cond{"outer_cond", body.inputs, {{"more", DType::kBool}},
                    {ConstNode("three", Tensor::Scalar<float>(3)),
                     FloatNode("less", "Less", {"i", "three:output:0"})},
                    {{"more", "less:z:0"}}, {}};
  functions.insert(functions.end(), {inner, same, body, cond});
  GraphDef graph_def = Start(functions);
  graph_def.nodes.push_back(ConstNode("start", Tensor::Scalar<float>(0)));
  NodeDef loop = WhileNode({"start", "x"});
  loop.attrs["cond"] = FunctionNamed("outer_cond");
  loop.attrs["body"] = FunctionNamed("outer_body");
  graph_def.nodes.push_back(loop);
  graph_def.nodes.push_back(FloatNode("y", "Identity", {"loop:1"}));
  EXPECT_EQ(FetchY(graph_def, 3), 12.0);
  EXPECT_EQ(FetchY(graph_def, 3, {"all"}), 12.0);
}

// Random numbers: each call makes its own, and goes on with them in the next step.
FunctionText Random(const std::string& name) {
  return {name, {}, {{"y", DType::kFloat}},
          {ConstNode("shape", MakeTensor<int32_t>({0}, {})),
           {"random", "RandomUniform", {"shape:output:0"}, "",
            {{"dtype", DType::kFloat}, {"T", DType::kInt32}, {"seed", int64_t{1}}}}},
          {{"y", "random:output:0"}}, {}};
}

TEST(Functions, StateOfABodyIsThatOfItsCall) {
  GraphDef graph_def = Start({Random("r")});
  graph_def.nodes.push_back(CallNode("a", "r", {}));
  graph_def.nodes.push_back(CallNode("b", "r", {}));
  Graph graph;
  ASSERT_OK(ImportGraphDef(graph_def, {}, &graph));
  DirectSession session(&graph, {});
  const Endpoint a{graph.FindNode("a"), 0};
  const Endpoint b{graph.FindNode("b"), 0};
  const auto first = RunOnce(&session, {a, b});
  const auto second = RunOnce(&session, {a});  // another plan goes on with the same state
  ASSERT_OK(first);
  ASSERT_OK(second);
  EXPECT_EQ(Values((*first)[0])[0], Values((*first)[1])[0]);  // of one seed
  EXPECT_TRUE(Values((*first)[0])[0] != Values((*second)[0])[0]);
}

TEST(Functions, WhoWaitsForACallWaitsForItsBody) {
  // A body without results, whose word about a number the step must hear.
  FunctionText fails{"fails", {{"x", DType::kFloat}}, {},
                     {{"checked", "CheckNumerics", {"x"}, "",
                       {{"T", DType::kFloat}, {"message", std::string("x")}}}},
                     {}, {"checked"}};
  GraphDef graph_def = Start({fails});
  graph_def.nodes.push_back(CallNode("call", "fails", {"x"}, 0));
  graph_def.nodes.push_back(FloatNode("y", "Neg", {"x", "^call"}));
  const Tensor odd = Tensor::Scalar<float>(std::numeric_limits<float>::infinity());
  EXPECT_ERROR(Fetch(graph_def, {"y"}, {{"x", odd}}), Code::kInvalidArgument, "call/checked");
}

TEST(Functions, WhatIsWrittenOutInTheGraphTakesTheCallsPlace) {
  GraphDef graph_def = Start({Polynomial("p")});
  graph_def.nodes.push_back(CallNode("y", "p", {"x"}));
  Graph graph;
  ASSERT_OK(ImportGraphDef(graph_def, {}, &graph));
  DirectSession session(&graph, {});
  Node* x = graph.FindNode("x");
  Node* y = graph.FindNode("y");
  const auto run = [&] {
    const auto values = RunOnce(&session, {{y, 0}}, {}, {{x, 0}}, {Tensor::Scalar<float>(2)});
    EXPECT_OK(values);
    return Values((*values)[0])[0];
  };
  EXPECT_EQ(run(), 6.0);
  Node* other = *graph.AddNode({"other", "Neg", {{x, 0}}, {}, {}, ""});
  Node* after = *graph.AddNode({"after", "Neg", {{y, 0}}, {}, {}, ""});
  EXPECT_ERROR(graph.WriteOut(y, {{after, 0}}, after), Code::kInvalidArgument, "cannot stand for");
  ASSERT_OK(graph.WriteOut(y, {{other, 0}}, other));
  EXPECT_EQ(run(), -2.0);
  EXPECT_ERROR(graph.WriteOut(y, {{other, 0}}, other), Code::kAlreadyExists, "already");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
