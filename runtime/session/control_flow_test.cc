// Branches and loops: what runs, what does not, and in which frame.
#include <thread>

#include "session/graph_test.h"

namespace tfbuild {
namespace testing {
namespace {

Tensor Bool(bool value) { return Tensor::Scalar<bool>(value); }

// A step of one value fed for x, fetched as a number.
double RunScalar(DirectSession* session, const Endpoint& fetch, Node* x, const Tensor& value) {
  const auto results = RunOnce(session, {fetch}, {}, {{x, 0}}, {value});
  EXPECT_OK(results);
  return results.ok() ? Values((*results)[0])[0] : 0;
}

TEST(Branches, OnlyTheTakenOneRuns) {
  TestGraph graph;
  Node* pred = graph.Placeholder("pred", DType::kBool);
  Node* data = graph.Const("data", MakeTensor<int32_t>({1}, {6}));
  Node* zero = graph.Const("zero", MakeTensor<int32_t>({1}, {0}));
  Node* both = graph.Op("both", "Switch", {{data, 0}, {pred, 0}});
  Node* fails = graph.Op("fails", "FloorDiv", {{both, 1}, {zero, 0}});
  Node* works = graph.Op("works", "AddV2", {{both, 0}, {data, 0}});
  Node* merge = graph.Op("merge", "Merge", {{works, 0}, {fails, 0}});
  DirectSession session(&graph.graph, {});
  EXPECT_EQ(RunScalar(&session, {merge, 0}, pred, Bool(false)), 12.0);
  EXPECT_EQ(RunScalar(&session, {merge, 1}, pred, Bool(false)), 0.0);
  EXPECT_ERROR(RunOnce(&session, {{merge, 0}}, {}, {{pred, 0}}, {Bool(true)}),
               Code::kInvalidArgument, "{{node fails}}");
  EXPECT_ERROR(RunOnce(&session, {{fails, 0}}, {}, {{pred, 0}}, {Bool(false)}),
               Code::kInvalidArgument, "was not taken");
}

TEST(Branches, DeathGoesAlongControlEdges) {
  TestGraph graph;
  Node* pred = graph.Placeholder("pred", DType::kBool);
  Node* variable = graph.Variable("v", DType::kFloat, {1});
  Node* one = graph.Const("one", MakeTensor<float>({1}, {1}));
  Node* init = graph.Op("init", "Assign", {{variable, 0}, {one, 0}});
  Node* both = graph.Op("both", "Switch", {{pred, 0}, {pred, 0}});
  Node* taken = graph.Op("taken", "Identity", {{both, 1}});
  Node* add = graph.Op("add", "AssignAdd", {{variable, 0}, {one, 0}}, "", {}, {taken});
  Node* merge = graph.Op("merge", "Merge", {{both, 0}, {taken, 0}});
  DirectSession session(&graph.graph, {});
  ASSERT_OK(RunOnce(&session, {}, {init}));
  ASSERT_OK(RunOnce(&session, {{merge, 0}}, {add}, {{pred, 0}}, {Bool(false)}));
  EXPECT_EQ(Values((*RunOnce(&session, {{variable, 0}}))[0])[0], 1.0);
  ASSERT_OK(RunOnce(&session, {{merge, 0}}, {add}, {{pred, 0}}, {Bool(true)}));
  EXPECT_EQ(Values((*RunOnce(&session, {{variable, 0}}))[0])[0], 2.0);
}

TEST(Loops, GoRoundAsOftenAsTheySay) {
  for (const int64_t parallel : {1, 2, 10}) {
    for (const int32_t count : {0, 1, 2, 1000}) {
      TestGraph graph;
      Node* x = graph.Placeholder("x", DType::kDouble);
      Node* one = graph.Const("one", MakeTensor<double>({}, {1}));
      const Endpoint last = graph.CountedLoop("loop", {x, 0}, count, [&](Endpoint value) {
        return Endpoint{graph.Op("plus", "AddV2", {value, {one, 0}}), 0};
      }, parallel);
      DirectSession session(&graph.graph, {});
      EXPECT_EQ(RunScalar(&session, last, x, MakeTensor<double>({}, {5})), 5.0 + count);
      EXPECT_EQ(RunScalar(&session, last, x, MakeTensor<double>({}, {6})), 6.0 + count);
    }
  }
}

TEST(Loops, Nest) {
  TestGraph graph;
  Node* x = graph.Placeholder("x", DType::kDouble);
  Node* one = graph.Const("one", MakeTensor<double>({}, {1}));
  const Endpoint last = graph.CountedLoop("outer", {x, 0}, 3, [&](Endpoint outer) {
    // The inner loop's own constants enter from the root of the outer one by what it is given.
    const AttrMap frame{{"frame_name", std::string("inner")}};
    Node* value = graph.Op("enter", "Enter", {outer}, "", frame);
    Node* values = graph.Op("values", "Merge", {{value, 0}, {value, 0}});
    AttrMap invariant = frame;
    invariant["is_constant"] = true;
    Node* start = graph.Op("start", "Enter", {outer}, "", invariant);
    Node* gone = graph.Op("gone", "Sub", {{values, 0}, {start, 0}});
    Node* four = graph.Const("four", MakeTensor<double>({}, {4}));
    Node* less = graph.Op("less", "Less", {{gone, 0}, {four, 0}});
    Node* go_on = graph.Op("go_on", "LoopCond", {{less, 0}});
    Node* both = graph.Op("both", "Switch", {{values, 0}, {go_on, 0}});
    Node* plus = graph.Op("plus", "AddV2", {{both, 1}, {one, 0}});
    Node* next = graph.Op("next", "NextIteration", {{plus, 0}});
    EXPECT_OK(graph.graph.CloseLoop(values, 1, next));
    return Endpoint{graph.Op("leave", "Exit", {{both, 0}}), 0};
  });
  DirectSession session(&graph.graph, {});
  EXPECT_EQ(RunScalar(&session, last, x, MakeTensor<double>({}, {5})), 17.0);
}

TEST(Loops, InABranchThatIsNotTakenGiveNothing) {
  TestGraph graph;
  Node* pred = graph.Placeholder("pred", DType::kBool);
  Node* x = graph.Const("x", MakeTensor<double>({}, {5}));
  Node* one = graph.Const("one", MakeTensor<double>({}, {1}));
  Node* both = graph.Op("branches", "Switch", {{x, 0}, {pred, 0}});
  const Endpoint looped = graph.CountedLoop("loop", {both, 1}, 3, [&](Endpoint value) {
    return Endpoint{graph.Op("plus", "AddV2", {value, {one, 0}}), 0};
  });
  Node* merge = graph.Op("merge", "Merge", {{both, 0}, looped});
  DirectSession session(&graph.graph, {});
  EXPECT_EQ(RunScalar(&session, {merge, 0}, pred, Bool(true)), 8.0);
  EXPECT_EQ(RunScalar(&session, {merge, 0}, pred, Bool(false)), 5.0);
}

TEST(Loops, AFailingBodyEndsTheStep) {
  TestGraph graph;
  Node* x = graph.Placeholder("x", DType::kInt32);
  const Endpoint last = graph.CountedLoop("loop", {x, 0}, 10, [&](Endpoint value) {
    Node* one = graph.Const("one", MakeTensor<int32_t>({}, {1}));
    Node* less = graph.Op("less", "Sub", {value, {one, 0}});
    return Endpoint{graph.Op("quotient", "FloorDiv", {{less, 0}, {less, 0}}), 0};
  });
  DirectSession session(&graph.graph, {});
  EXPECT_ERROR(RunOnce(&session, {last}, {}, {{x, 0}}, {MakeTensor<int32_t>({}, {3})}),
               Code::kInvalidArgument, "{{node quotient}}");
}

TEST(Loops, ADeadlineEndsThem) {
  TestGraph graph;
  Node* x = graph.Placeholder("x", DType::kDouble);
  const Endpoint last = graph.CountedLoop("loop", {x, 0}, 2000000000, [&](Endpoint value) {
    return Endpoint{graph.Op("same", "Identity", {value}), 0};
  });
  DirectSession session(&graph.graph, {});
  EXPECT_ERROR(RunOnce(&session, {last}, {}, {{x, 0}}, {MakeTensor<double>({}, {3})},
                       {std::chrono::milliseconds(20)}),
               Code::kDeadlineExceeded, "timeout_in_ms");
}

TEST(Loops, ATimeBeyondTheClockIsNoLimit) {
  TestGraph graph;
  Node* x = graph.Placeholder("x", DType::kDouble);
  const Endpoint same{graph.Op("same", "Identity", {{x, 0}}), 0};
  DirectSession session(&graph.graph, {});
  using std::chrono::milliseconds;
  for (const milliseconds limit : {milliseconds::max(), milliseconds(int64_t{1} << 44)}) {
    const auto results =
        RunOnce(&session, {same}, {}, {{x, 0}}, {MakeTensor<double>({}, {3})}, {limit});
    EXPECT_OK(results);
  }
}

TEST(Loops, RunInSeveralStepsAtOnce) {
  TestGraph graph;
  Node* x = graph.Placeholder("x", DType::kDouble);
  Node* one = graph.Const("one", MakeTensor<double>({}, {1}));
  const Endpoint last = graph.CountedLoop("loop", {x, 0}, 200, [&](Endpoint value) {
    return Endpoint{graph.Op("plus", "AddV2", {value, {one, 0}}), 0};
  });
  DirectSession session(&graph.graph, {});
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int k = 0; k < 20; ++k) {
        EXPECT_EQ(RunScalar(&session, last, x, MakeTensor<double>({}, {static_cast<double>(i)})),
                  200.0 + i);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Loops, FramesMustNest) {
  TestGraph graph;
  Node* x = graph.Placeholder("x", DType::kDouble);
  Node* a = graph.Op("a", "Enter", {{x, 0}}, "", {{"frame_name", std::string("one")}});
  Node* b = graph.Op("b", "Enter", {{x, 0}}, "", {{"frame_name", std::string("two")}});
  Node* sum = graph.Op("sum", "AddV2", {{a, 0}, {b, 0}});
  Node* out = graph.Op("out", "Exit", {{sum, 0}});
  DirectSession session(&graph.graph, {});
  EXPECT_ERROR(RunOnce(&session, {{out, 0}}, {}, {{x, 0}}, {MakeTensor<double>({}, {1})}),
               Code::kInvalidArgument, "different frames");
}

TEST(Loops, TheirInsideCannotBeFetched) {
  TestGraph graph;
  Node* x = graph.Placeholder("x", DType::kDouble);
  Node* inside = graph.Op("inside", "Enter", {{x, 0}}, "", {{"frame_name", std::string("one")}});
  DirectSession session(&graph.graph, {});
  EXPECT_ERROR(RunOnce(&session, {{inside, 0}}, {}, {{x, 0}}, {MakeTensor<double>({}, {1})}),
               Code::kInvalidArgument, "inside of a loop");
}

TEST(Branches, AMergeTakesWhatIsFed) {
  TestGraph graph;
  Node* x = graph.Placeholder("x", DType::kDouble);
  Node* y = graph.Placeholder("y", DType::kDouble);
  Node* merge = graph.Op("merge", "Merge", {{x, 0}, {y, 0}});
  DirectSession session(&graph.graph, {});
  const auto results = RunOnce(&session, {{merge, 0}}, {}, {{x, 0}, {y, 0}},
                               {MakeTensor<double>({}, {4}), MakeTensor<double>({}, {5})});
  ASSERT_OK(results);
  EXPECT_EQ(Values((*results)[0])[0], 4.0);
}

TEST(Loops, OnlyANextIterationClosesOne) {
  TestGraph graph;
  Node* x = graph.Placeholder("x", DType::kDouble);
  Node* merge = graph.Op("merge", "Merge", {{x, 0}, {x, 0}});
  Node* plus = graph.Op("plus", "AddV2", {{merge, 0}, {x, 0}});
  EXPECT_ERROR(graph.graph.CloseLoop(merge, 1, plus), Code::kInvalidArgument, "NextIteration");
  Node* fixed = graph.Op("fixed", "Merge", {{graph.Const("c", MakeTensor<double>({2}, {1, 2})), 0}});
  Node* next = graph.Op("next", "NextIteration", {{plus, 0}});
  EXPECT_ERROR(graph.graph.CloseLoop(fixed, 0, next), Code::kInvalidArgument, "each iteration");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
