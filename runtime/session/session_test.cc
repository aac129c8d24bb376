#include "session/session.h"

#include <atomic>
#include <thread>

#include "session/graph_test.h"

namespace tfbuild {
namespace testing {
namespace {

Node* AddConst(Graph* graph, const std::string& name, const Tensor& value) {
  return *graph->AddNode({name, "Const", {}, {}, {{"value", value}, {"dtype", value.dtype()}}, ""});
}

Node* AddOp(Graph* graph, const std::string& name, const std::string& op,
            std::vector<Endpoint> inputs, std::vector<Node*> control = {}) {
  const Result<Node*> node =
      graph->AddNode({name, op, std::move(inputs), std::move(control), {}, ""});
  EXPECT_OK(node);
  return *node;
}

Node* AddVariable(Graph* graph, const std::string& name) {
  const Result<Node*> node = graph->AddNode(
      {name, "VariableV2", {}, {}, {{"dtype", DType::kFloat}, {"shape", PartialShape({2})}}, ""});
  EXPECT_OK(node);
  return *node;
}

TEST(Session, RunsOnlyWhatIsNeeded) {
  Graph graph;
  Node* a = AddConst(&graph, "a", MakeTensor<float>({2}, {1, 2}));
  Node* b = AddConst(&graph, "b", MakeTensor<float>({2}, {3, 4}));
  Node* sum = AddOp(&graph, "sum", "AddV2", {{a, 0}, {b, 0}});
  AddOp(&graph, "unused", "Relu", {{sum, 0}});
  DirectSession session(&graph, {});
  const auto callable = session.MakeCallable({}, {{sum, 0}}, {});
  ASSERT_OK(callable);
  const auto passes = session.Explain(callable->get());
  ASSERT_OK(passes);
  EXPECT_EQ((*passes)->front().nodes_before, 3);
  EXPECT_TRUE((*passes)->front().text.find("sum = AddV2(a, b)") != std::string::npos);
  const auto again = session.Explain(callable->get());
  ASSERT_OK(again);
  EXPECT_TRUE(*again == *passes);  // planned again once alone
  const auto results = RunOnce(&session, {{sum, 0}});
  ASSERT_OK(results);
  ExpectClose((*results)[0], MakeTensor<float>({2}, {4, 6}), Ulps(0));
}

TEST(Session, TheSameSignatureIsPreparedOnce) {
  Graph graph;
  Node* a = AddConst(&graph, "a", MakeTensor<float>({1}, {1}));
  DirectSession session(&graph, {});
  const auto first = session.MakeCallable({}, {{a, 0}}, {});
  const auto second = session.MakeCallable({}, {{a, 0}}, {});
  ASSERT_OK(first);
  ASSERT_OK(second);
  EXPECT_TRUE(*first == *second);
}

TEST(Session, FeedsCutTheGraph) {
  Graph graph;
  Node* a = AddConst(&graph, "a", MakeTensor<float>({2}, {1, 2}));
  Node* negative = AddOp(&graph, "negative", "Neg", {{a, 0}});
  Node* relu = AddOp(&graph, "relu", "Relu", {{negative, 0}});
  DirectSession session(&graph, {});
  const auto results = RunOnce(&session, {{relu, 0}, {negative, 0}}, {}, {{negative, 0}},
                               {MakeTensor<float>({2}, {5, -6})});
  ASSERT_OK(results);
  ExpectClose((*results)[0], MakeTensor<float>({2}, {5, 0}), Ulps(0));
  ExpectClose((*results)[1], MakeTensor<float>({2}, {5, -6}), Ulps(0));
}

TEST(Session, FeedsAreCheckedAndNotWrittenTo) {
  Graph graph;
  Node* x = *graph.AddNode({"x", "Placeholder", {}, {},
                            {{"dtype", DType::kFloat}, {"shape", PartialShape({kUnknownDim, 2})}},
                            ""});
  Node* relu = AddOp(&graph, "relu", "Relu", {{x, 0}});
  DirectSession session(&graph, {});
  EXPECT_ERROR(RunOnce(&session, {{relu, 0}}), Code::kInvalidArgument, "You must feed a value");
  EXPECT_ERROR(RunOnce(&session, {{relu, 0}}, {}, {{x, 0}}, {MakeTensor<float>({2}, {1, 2})}),
               Code::kInvalidArgument, "does not fit [?,2]");
  EXPECT_ERROR(RunOnce(&session, {{relu, 0}}, {}, {{x, 0}}, {MakeTensor<int32_t>({1, 2}, {1, 2})}),
               Code::kInvalidArgument, "has type int32");
  const Tensor fed = MakeTensor<float>({1, 2}, {-1, 2});
  ASSERT_OK(RunOnce(&session, {{relu, 0}}, {}, {{x, 0}}, {fed}));
  ExpectClose(fed, MakeTensor<float>({1, 2}, {-1, 2}), Ulps(0));
}

TEST(Session, VariablesLiveFromStepToStepAndPerSession) {
  Graph graph;
  Node* variable = AddVariable(&graph, "v");
  Node* one = AddConst(&graph, "one", MakeTensor<float>({2}, {1, 1}));
  Node* assign = AddOp(&graph, "assign", "Assign", {{variable, 0}, {one, 0}});
  Node* add = AddOp(&graph, "add", "AssignAdd", {{variable, 0}, {one, 0}});
  DirectSession session(&graph, {});
  DirectSession other(&graph, {});
  EXPECT_ERROR(RunOnce(&session, {{variable, 0}}), Code::kFailedPrecondition, "uninitialized");
  ASSERT_OK(RunOnce(&session, {}, {assign}));
  const auto before = RunOnce(&session, {{variable, 0}});
  for (int i = 0; i < 3; ++i) ASSERT_OK(RunOnce(&session, {}, {add}));
  const auto after = RunOnce(&session, {{variable, 0}});
  ASSERT_OK(before);
  ASSERT_OK(after);
  ExpectClose((*after)[0], MakeTensor<float>({2}, {4, 4}), Ulps(0));
  // What was read stays what it was, and so does the constant that the variable began with.
  ExpectClose((*before)[0], MakeTensor<float>({2}, {1, 1}), Ulps(0));
  ExpectClose(*RunOnce(&session, {{one, 0}})->begin(), MakeTensor<float>({2}, {1, 1}), Ulps(0));
  EXPECT_ERROR(RunOnce(&other, {{variable, 0}}), Code::kFailedPrecondition, "uninitialized");
}

TEST(Session, ControlInputsRunFirst) {
  Graph graph;
  Node* variable = AddVariable(&graph, "v");
  Node* one = AddConst(&graph, "one", MakeTensor<float>({2}, {1, 1}));
  Node* assign = AddOp(&graph, "assign", "Assign", {{variable, 0}, {one, 0}});
  Node* read = AddOp(&graph, "read", "Identity", {{variable, 0}}, {assign});
  DirectSession session(&graph, {});
  ASSERT_OK(RunOnce(&session, {{read, 0}}));
}

// Many products that do not wait for each other, on a pool, from several threads at once.
TEST(Session, RunsInParallel) {
  Graph graph;
  Node* x = AddConst(&graph, "x", MakeTensor<float>({2, 2}, {1, 1, 0, 1}));
  Node* sum = nullptr;
  for (int i = 0; i < 20; ++i) {
    Node* product = AddOp(&graph, StrCat("product", i), "MatMul", {{x, 0}, {x, 0}});
    sum = sum == nullptr ? product
                         : AddOp(&graph, StrCat("sum", i), "AddV2", {{sum, 0}, {product, 0}});
  }
  SessionOptions options;
  options.inter_op_threads = 4;
  DirectSession session(&graph, options);
  const auto callable = session.MakeCallable({}, {{sum, 0}}, {});
  ASSERT_OK(callable);
  std::atomic<int> right{0};
  const auto run = [&] {
    for (int i = 0; i < 50; ++i) {
      std::vector<Tensor> results;
      const Status status = session.Run(**callable, {}, &results);
      right += status.ok() && Values(results[0]) == std::vector<double>{20, 40, 0, 20} ? 1 : 0;
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back(run);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right.load(), 150);
}

TEST(Session, ADropoutThatKeepsEverythingLeavesItsLaterNumbers) {
  TestGraph test;
  Node* const x = test.Const("x", MakeTensor<float>({7}, {1, 2, 3, 4, 5, 6, 7}));
  Node* const fed = test.Placeholder("fed", DType::kFloat, {kUnknownDim});
  Node* const shape = test.Op("shape", "Shape", {{fed, 0}});
  Node* const noise = test.Op("noise", "RandomUniform", {{shape, 0}}, "",
                              {{"dtype", DType::kFloat}, {"seed", int64_t{3}}});
  Node* const zero = test.Const("zero", Tensor::Scalar<float>(0));
  Node* const kept = test.Op("kept", "GreaterEqual", {{noise, 0}, {zero, 0}});
  Node* const dropped = test.Op("dropped", "SelectV2", {{kept, 0}, {fed, 0}, {zero, 0}});
  Node* const result = test.Op("result", "Neg", {{dropped, 0}});
  const auto value = x->Attr<Tensor>("value");
  ASSERT_OK(value);
  std::vector<Tensor> later;
  for (const bool passes : {true, false}) {
    SessionOptions options;
    if (!passes) options.passes.disabled = {"all"};
    DirectSession session(&test.graph, options);
    const auto kept_whole = RunOnce(&session, {{result, 0}}, {}, {{fed, 0}}, {*value});
    ASSERT_OK(kept_whole);
    ExpectClose((*kept_whole)[0], MakeTensor<float>({7}, {-1, -2, -3, -4, -5, -6, -7}), Ulps(0));
    const auto numbers = RunOnce(&session, {{noise, 0}}, {}, {{fed, 0}}, {*value});
    ASSERT_OK(numbers);
    later.push_back((*numbers)[0]);
  }
  ExpectClose(later[0], later[1], Ulps(0));
  EXPECT_TRUE(later[0].data<float>()[0] != later[0].data<float>()[1]);
}

TEST(Session, AFailingKernelEndsTheStepWithItsName) {
  Graph graph;
  Node* a = AddConst(&graph, "a", MakeTensor<int32_t>({1}, {1}));
  Node* zero = AddConst(&graph, "zero", MakeTensor<int32_t>({1}, {0}));
  Node* quotient = AddOp(&graph, "quotient", "FloorDiv", {{a, 0}, {zero, 0}});
  for (const int threads : {1, 3}) {
    SessionOptions options;
    options.inter_op_threads = threads;
    DirectSession session(&graph, options);
    EXPECT_ERROR(RunOnce(&session, {{quotient, 0}}), Code::kInvalidArgument, "{{node quotient}}");
  }
}

TEST(Session, AfterCloseNothingRuns) {
  Graph graph;
  Node* a = AddConst(&graph, "a", MakeTensor<float>({1}, {1}));
  DirectSession session(&graph, {});
  ASSERT_OK(session.Close());
  EXPECT_ERROR(RunOnce(&session, {{a, 0}}), Code::kFailedPrecondition, "closed");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
