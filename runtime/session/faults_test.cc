// Faults that there were once: graphs that change between steps, and plans that pile up.
#include <atomic>
#include <new>
#include <thread>

#include "graph/shape_context.h"
#include "kernels/framework/async_op_kernel.h"
#include "session/graph_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(ChangedGraph, AControlEdgeAddedAfterTheFirstRunIsHonoured) {
  TestGraph graph;
  Node* variable = graph.Variable("v", DType::kFloat, {1});
  Node* one = graph.Const("one", MakeTensor<float>({1}, {1}));
  Node* init = graph.Op("init", "Assign", {{variable, 0}, {one, 0}});
  Node* add = graph.Op("add", "AssignAdd", {{variable, 0}, {one, 0}});
  Node* x = graph.Placeholder("x", DType::kFloat);
  Node* same = graph.Op("same", "Relu", {{x, 0}});
  DirectSession session(&graph.graph, {});
  const std::vector<Tensor> fed = {MakeTensor<float>({1}, {1})};
  ASSERT_OK(RunOnce(&session, {}, {init}));
  ASSERT_OK(RunOnce(&session, {{same, 0}}, {}, {{x, 0}}, fed));
  ASSERT_OK(graph.graph.AddControlEdge(add, same));
  ASSERT_OK(RunOnce(&session, {{same, 0}}, {}, {{x, 0}}, fed));
  EXPECT_EQ(Values((*RunOnce(&session, {{variable, 0}}))[0])[0], 2.0);
}

TEST(ChangedGraph, AShapeThatBecomesKnownHoldsForFeeds) {
  TestGraph graph;
  Node* x = graph.Placeholder("x", DType::kFloat);
  Node* same = graph.Op("same", "Relu", {{x, 0}});
  DirectSession session(&graph.graph, {});
  const std::vector<Tensor> fed = {MakeTensor<float>({1}, {1})};
  ASSERT_OK(RunOnce(&session, {{same, 0}}, {}, {{x, 0}}, fed));
  ASSERT_OK(graph.graph.RefineShape({x, 0}, PartialShape{2}));
  EXPECT_ERROR(RunOnce(&session, {{same, 0}}, {}, {{x, 0}}, fed), Code::kInvalidArgument,
               "does not fit [2]");
}

// A plan has copies of all that it needs of the graph: run this under the thread sanitizer.
TEST(ChangedGraph, AStepRunsWhileTheShapesOfItsGraphBecomeKnown) {
  TestGraph graph;
  Node* x = graph.Placeholder("x", DType::kFloat);
  Node* variable = graph.Variable("v", DType::kFloat, {});
  Node* assign = graph.Op("assign", "Assign", {{variable, 0}, {x, 0}});
  DirectSession session(&graph.graph, {});
  const auto callable = session.MakeCallable({{x, 0}}, {{assign, 0}}, {});
  ASSERT_OK(callable);
  std::atomic<bool> stop{false};
  std::thread runner([&] {
    std::vector<Tensor> results;
    while (!stop) EXPECT_OK(session.Run(**callable, {MakeTensor<float>({1, 2}, {1, 2})}, &results));
  });
  for (int64_t i = 0; i < 200; ++i) {
    Node* other = graph.Placeholder(StrCat("other", i), DType::kFloat);
    EXPECT_OK(graph.graph.RefineShape({other, 0}, PartialShape{i}));
  }
  EXPECT_OK(graph.graph.RefineShape({x, 0}, PartialShape({kUnknownDim, kUnknownDim})));
  EXPECT_OK(graph.graph.RefineShape({x, 0}, PartialShape{1, 2}));
  EXPECT_OK(graph.graph.RefineShape({variable, 0}, PartialShape{1, 2}));
  stop = true;
  runner.join();
}

TEST(Callables, TheLatestUsedAreKept) {
  TestGraph graph;
  DirectSession session(&graph.graph, {});
  std::vector<Node*> nodes;
  for (size_t i = 0; i < DirectSession::kMaxCallables + 10; ++i) {
    nodes.push_back(graph.Const(StrCat("c", i), MakeTensor<float>({1}, {1})));
    ASSERT_OK(session.MakeCallable({}, {{nodes.back(), 0}}, {}));
    ASSERT_OK(session.MakeCallable({}, {{nodes.front(), 0}}, {}));
  }
  EXPECT_EQ(session.num_callables(), DirectSession::kMaxCallables);
}

// Begins nothing, as where there is no memory for it.
class ThrowingOp final : public AsyncOpKernel {
 public:
  void ComputeAsync(OpKernelContext*, Done) override { throw std::bad_alloc(); }
};
REGISTER_OP("TestThrowing").Input("x: float").Output("y: float").Stateful()
    .ShapeFunction(UnchangedShape);
REGISTER_KERNEL(Kernel("TestThrowing").OnCpu(), ThrowingOp);

TEST(AsyncKernels, AnExceptionEndsTheStepOfEachRunner) {
  for (const bool with_branches : {false, true}) {
    TestGraph graph;
    Node* x = graph.Placeholder("x", DType::kFloat, PartialShape(std::vector<int64_t>{}));
    Endpoint value{x, 0};
    if (with_branches) {
      value = graph.CountedLoop("loop", value, 2, [&](Endpoint inside) { return inside; }, 1);
    }
    Node* throwing = graph.Op("throwing", "TestThrowing", {value});
    Node* queue = graph.Op("queue", "FIFOQueueV2", {}, "",
                           {{"component_types", std::vector<DType>{DType::kFloat}}});
    Node* put = graph.Op("put", "QueueEnqueueV2", {{queue, 0}, value}, "",
                         {{"Tcomponents", std::vector<DType>{DType::kFloat}}});
    DirectSession session(&graph.graph, {});
    EXPECT_ERROR(RunOnce(&session, {{throwing, 0}}, {put}, {{x, 0}}, {Tensor::Scalar<float>(1)}),
                 Code::kResourceExhausted, "throwing");
  }
}

TEST(Feeds, OneValueIsFedOnce) {
  TestGraph graph;
  Node* x = graph.Placeholder("x", DType::kFloat);
  DirectSession session(&graph.graph, {});
  EXPECT_ERROR(session.MakeCallable({{x, 0}, {x, 0}}, {{x, 0}}, {}), Code::kInvalidArgument,
               "fed twice");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
