// Variables behind handles, several processors and the end of a step, in whole steps.
#include <thread>

#include "session/graph_test.h"
#include "testing/test.h"

namespace tfbuild {
namespace testing {
namespace {

// A graph with one variable of two floats.
struct OneVariable {
  TestGraph graph;
  Node* handle;
  Node* assign;
  Node* read;

  OneVariable() {
    handle = Handle("v", "v");
    Node* value = graph.Const("first", MakeTensor<float>({2}, {1, 2}));
    assign = graph.Op("assign", "AssignVariableOp", {{handle, 0}, {value, 0}});
    read = Read("read");
  }
  Node* Handle(const std::string& node, const std::string& name, DType dtype = DType::kFloat) {
    return graph.Op(node, "VarHandleOp", {}, "",
                    {{"dtype", dtype}, {"shape", PartialShape{2}}, {"shared_name", name}});
  }
  Node* Read(const std::string& name, std::vector<Node*> control = {}) {
    return graph.Op(name, "ReadVariableOp", {{handle, 0}}, "", {{"dtype", DType::kFloat}}, control);
  }
  Node* AddTen(std::vector<Node*> control = {}) {
    Node* ten = graph.Const("ten", MakeTensor<float>({2}, {10, 10}));
    return graph.Op("add", "AssignAddVariableOp", {{handle, 0}, {ten, 0}}, "", {}, control);
  }
};

TEST(Resources, VariablesLiveInTheirSession) {
  OneVariable one;
  EXPECT_EQ(one.read->output(0).shape, (PartialShape{2}));
  DirectSession session(&one.graph.graph, {});
  DirectSession other(&one.graph.graph, {});
  Node* is = one.graph.Op("is", "VarIsInitializedOp", {{one.handle, 0}});
  const auto before = RunOnce(&session, {{is, 0}});
  ASSERT_OK(before);
  EXPECT_TRUE(!*(*before)[0].data<bool>());
  EXPECT_ERROR(RunOnce(&session, {{one.read, 0}}), Code::kFailedPrecondition,
               "variable localhost/v: it is uninitialized");
  ASSERT_OK(RunOnce(&session, {}, {one.assign}));
  const auto results = RunOnce(&session, {{one.read, 0}, {is, 0}});
  ASSERT_OK(results);
  ExpectClose((*results)[0], MakeTensor<float>({2}, {1, 2}), Ulps(0));
  EXPECT_TRUE(*(*results)[1].data<bool>());
  EXPECT_ERROR(RunOnce(&other, {{one.read, 0}}), Code::kFailedPrecondition, "uninitialized");
}

TEST(Resources, WhatWasReadStaysWhenTheVariableChanges) {
  OneVariable one;
  Node* add = one.AddTen({one.read});
  Node* later = one.Read("later", {add});
  DirectSession session(&one.graph.graph, {});
  ASSERT_OK(RunOnce(&session, {}, {one.assign}));
  for (int step = 0; step < 3; ++step) {
    const auto results = RunOnce(&session, {{one.read, 0}, {later, 0}});
    ASSERT_OK(results);
    const double before = 10.0 * step;
    ExpectClose((*results)[0], MakeTensor<float>({2}, {before + 1, before + 2}), Ulps(0));
    ExpectClose((*results)[1], MakeTensor<float>({2}, {before + 11, before + 12}), Ulps(0));
  }
}

TEST(Resources, ADestroyedVariableIsGoneAndMayBeMadeAgain) {
  OneVariable one;
  Node* destroy = one.graph.Op("destroy", "DestroyResourceOp", {{one.handle, 0}});
  Node* strict = one.graph.Op("strict", "DestroyResourceOp", {{one.handle, 0}}, "",
                              {{"ignore_lookup_error", false}});
  DirectSession session(&one.graph.graph, {});
  ASSERT_OK(RunOnce(&session, {}, {one.assign}));
  ASSERT_OK(RunOnce(&session, {}, {destroy}));
  EXPECT_ERROR(RunOnce(&session, {{one.read, 0}}), Code::kFailedPrecondition, "was destroyed");
  ASSERT_OK(RunOnce(&session, {}, {destroy}));
  EXPECT_ERROR(RunOnce(&session, {}, {strict}), Code::kNotFound, "no variable localhost/v");
  ASSERT_OK(RunOnce(&session, {}, {one.assign}));
  ASSERT_OK(RunOnce(&session, {{one.read, 0}}));
}

TEST(Resources, TheTypeOfAVariableIsChecked) {
  OneVariable one;
  // The graph knows the variable behind a handle...
  EXPECT_ERROR(one.graph.graph.AddNode(
                   {"wrong", "ReadVariableOp", {{one.handle, 0}}, {}, {{"dtype", DType::kInt32}}, ""}),
               Code::kInvalidArgument, "holds float, not int32");
  Node* three = one.graph.Const("three", MakeTensor<float>({3}, {1, 2, 3}));
  EXPECT_ERROR(one.graph.graph.AddNode(
                   {"wide", "AssignVariableOp", {{one.handle, 0}, {three, 0}}, {}, {}, ""}),
               Code::kInvalidArgument, "");
  // ... but two nodes may say different things of one variable.
  Node* liar = one.Handle("liar", "v", DType::kInt32);
  Node* lie = one.graph.Op("lie", "ReadVariableOp", {{liar, 0}}, "", {{"dtype", DType::kInt32}});
  DirectSession session(&one.graph.graph, {});
  ASSERT_OK(RunOnce(&session, {}, {one.assign}));
  EXPECT_ERROR(RunOnce(&session, {{lie, 0}}), Code::kInvalidArgument, "holds float, not int32");
}

TEST(Resources, HandlesOfAnotherKindAreRefused) {
  OneVariable one;
  Node* size = one.graph.Const("size", Tensor::Scalar<int32_t>(3));
  Node* stack = one.graph.Op("stack", "StackV2", {{size, 0}}, "", {{"elem_type", DType::kFloat}});
  Node* read = one.graph.Op("read_stack", "ReadVariableOp", {{stack, 0}}, "",
                            {{"dtype", DType::kFloat}});
  Node* pop = one.graph.Op("pop", "StackPopV2", {{one.handle, 0}}, "",
                           {{"elem_type", DType::kFloat}});
  DirectSession session(&one.graph.graph, {});
  EXPECT_ERROR(RunOnce(&session, {{read, 0}}), Code::kInvalidArgument, "handle of the stack");
  EXPECT_ERROR(RunOnce(&session, {{pop, 0}}), Code::kInvalidArgument, "used as that of a stack");
  EXPECT_ERROR(RunOnce(&session, {{one.handle, 0}}), Code::kInvalidArgument, "cannot be fetched");
}

TEST(Resources, AFetchedReferenceShowsTheLastUpdateOfItsStep) {
  TestGraph graph;
  Node* v = graph.Variable("v", DType::kFloat, PartialShape(std::vector<int64_t>{}));
  Node* one = graph.Const("one", MakeTensor<float>({}, {1}));
  Node* init = graph.Op("init", "Assign", {{v, 0}, {one, 0}});
  Node* read = graph.Op("read", "Identity", {{v, 0}});
  Node* a = graph.Op("a", "AssignAdd", {{v, 0}, {one, 0}}, "", {}, {read});
  Node* b = graph.Op("b", "AssignAdd", {{v, 0}, {one, 0}}, "", {}, {a});
  DirectSession session(&graph.graph, {});
  ASSERT_OK(RunOnce(&session, {}, {init}));
  const auto results = RunOnce(&session, {{v, 0}, {read, 0}, {a, 0}, {b, 0}});
  ASSERT_OK(results);
  for (const Tensor& result : *results) ExpectClose(result, MakeTensor<float>({}, {3}), Ulps(0));
}

// ---- several processors -------------------------------------------------------------------------

int CountOps(const Callable& callable, const std::string& op) {
  int count = 0;
  for (const Item& item : callable.program().items) count += item.node->op().name == op;
  return count;
}

TEST(Processors, ValuesAreSentFromOneToAnother) {
  TestGraph graph;
  Node* x = graph.Placeholder("x", DType::kFloat);
  Node* a = graph.Op("a", "Neg", {{x, 0}}, "/cpu:0");
  Node* b = graph.Op("b", "Square", {{a, 0}}, "/cpu:1");
  Node* c = graph.Op("c", "Sub", {{b, 0}, {a, 0}}, "/job:localhost/task:0/device:CPU:0");
  SessionOptions options;
  options.num_cpus = 2;
  DirectSession session(&graph.graph, options);
  const auto callable = session.MakeCallable({{x, 0}}, {{c, 0}, {b, 0}}, {});
  ASSERT_OK(callable);
  EXPECT_EQ(CountOps(**callable, "_Send"), 2);
  EXPECT_EQ(CountOps(**callable, "_Recv"), 2);
  for (const Item& item : (*callable)->program().items) {
    if (item.node->name() == "b") EXPECT_EQ(item.device->ordinal(), 1);
    if (item.node->name() == "c") EXPECT_EQ(item.device->ordinal(), 0);
  }
  std::vector<Tensor> results;
  ASSERT_OK(session.Run(**callable, {MakeTensor<float>({}, {3})}, &results));
  ExpectClose(results[0], MakeTensor<float>({}, {12}), Ulps(0));
  ExpectClose(results[1], MakeTensor<float>({}, {9}), Ulps(0));
  // Without the second one, and with soft placement, all are on the first.
  DirectSession small(&graph.graph, {});
  const auto plain = small.MakeCallable({{x, 0}}, {{c, 0}}, {});
  ASSERT_OK(plain);
  EXPECT_EQ(CountOps(**plain, "_Send"), 0);
}

TEST(Processors, ARequestNamesOneExactly) {
  const std::vector<Device*> devices = CpuDevices(12);
  EXPECT_EQ((*FindRequestedDevice("/cpu:1", devices))->ordinal(), 1);
  EXPECT_EQ((*FindRequestedDevice("/device:CPU:11", devices))->ordinal(), 11);
  EXPECT_ERROR(FindRequestedDevice("/cpu:12", devices), Code::kNotFound, "cpu:12");
  EXPECT_TRUE(CpuDevices(2)[1] == devices[1]);
  EXPECT_TRUE(devices[0]->incarnation() != devices[1]->incarnation());
}

TEST(Processors, ALoopMayGoOverTwo) {
  TestGraph graph;
  Node* start = graph.Const("start", MakeTensor<float>({}, {1}));
  const Endpoint end = graph.CountedLoop("loop", {start, 0}, 5, [&](Endpoint value) {
    Node* twice = graph.Op("twice", "AddV2", {value, value}, "/cpu:1");
    return Endpoint{graph.Op("round", "Identity", {{twice, 0}}, "/cpu:1"), 0};
  });
  SessionOptions options;
  options.num_cpus = 2;
  DirectSession session(&graph.graph, options);
  const auto results = RunOnce(&session, {end});
  ASSERT_OK(results);
  ExpectClose((*results)[0], MakeTensor<float>({}, {32}), Ulps(0));
}

TEST(Processors, AVariableKeepsItsOwn) {
  OneVariable one;
  Node* there = one.graph.Op("there", "VarHandleOp", {}, "/cpu:1",
                             {{"dtype", DType::kFloat}, {"shape", PartialShape{2}},
                              {"shared_name", std::string("v")}});
  Node* read = one.graph.Op("read_there", "ReadVariableOp", {{there, 0}}, "/cpu:0",
                            {{"dtype", DType::kFloat}});
  SessionOptions options;
  options.num_cpus = 2;
  DirectSession session(&one.graph.graph, options);
  ASSERT_OK(RunOnce(&session, {}, {one.assign}));
  const auto callable = session.MakeCallable({}, {{read, 0}}, {});
  ASSERT_OK(callable);
  for (const Item& item : (*callable)->program().items) EXPECT_EQ(item.device->ordinal(), 1);
  std::vector<Tensor> results;
  ASSERT_OK(session.Run(**callable, {}, &results));
  ExpectClose(results[0], MakeTensor<float>({2}, {1, 2}), Ulps(0));
}

// ---- ending a step ------------------------------------------------------------------------------

// A loop that does not end by itself.
Endpoint EndlessLoop(TestGraph* graph) {
  Node* start = graph->Const("start", MakeTensor<float>({}, {1}));
  return graph->CountedLoop("endless", {start, 0}, std::numeric_limits<int32_t>::max(),
                            [&](Endpoint value) {
                              return Endpoint{graph->Op("neg", "Neg", {value}), 0};
                            });
}

TEST(Ending, ALookMayEndAStep) {
  TestGraph graph;
  const Endpoint end = EndlessLoop(&graph);
  DirectSession session(&graph.graph, {});
  int looks = 0;
  StepOptions options;
  const std::thread::id here = std::this_thread::get_id();
  options.look = [&] {
    EXPECT_TRUE(std::this_thread::get_id() == here);
    return ++looks < 3 ? OkStatus() : Status(Code::kCancelled, "seen enough");
  };
  EXPECT_ERROR(RunOnce(&session, {end}, {}, {}, {}, options), Code::kCancelled, "seen enough");
  EXPECT_EQ(looks, 3);
  Node* start = graph.graph.FindNode("start");
  ASSERT_OK(RunOnce(&session, {{start, 0}}));
}

TEST(Ending, CloseCancelsWhatRuns) {
  TestGraph graph;
  const Endpoint end = EndlessLoop(&graph);
  DirectSession session(&graph.graph, {});
  const auto callable = session.MakeCallable({}, {end}, {});
  ASSERT_OK(callable);
  std::atomic<int> begun{0};
  std::vector<Status> ends(3);
  std::vector<std::thread> threads;
  for (Status& outcome : ends) {
    threads.emplace_back([&] {
      StepOptions options;
      options.look = [&begun] {
        ++begun;
        return OkStatus();
      };
      std::vector<Tensor> results;
      outcome = session.Run(**callable, {}, &results, options);
    });
  }
  while (begun < 3) std::this_thread::yield();
  ASSERT_OK(session.Close());
  for (std::thread& thread : threads) thread.join();
  for (const Status& outcome : ends) EXPECT_ERROR(outcome, Code::kCancelled, "Session::Close()");
  EXPECT_ERROR(RunOnce(&session, {end}), Code::kFailedPrecondition, "closed");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
