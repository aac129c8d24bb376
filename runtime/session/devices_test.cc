// Placement, copies, variables, partition and errors on two GPUs whose memory the host cannot touch.
#include "session/fake_gpu_test.h"
#include "session/graph_test.h"
#include "session/session.h"

namespace tfbuild {
namespace testing {
namespace {

SessionOptions OnFakeGpus() {
  SessionOptions options;
  options.devices = DevicesWithFakeGpus();
  return options;
}

// The device of the item of that name, in the plan of a fetch.
Device* DeviceOfItem(DirectSession* session, const Endpoint& fetch, const std::string& name) {
  const auto callable = session->MakeCallable({}, {fetch}, {});
  EXPECT_OK(callable);
  if (!callable.ok()) return nullptr;
  for (const Item& item : (*callable)->program().items) {
    if (item.node->name() == name) return item.device;
  }
  return nullptr;
}

TEST(Devices, ValuesCrossBetweenHostAndGpus) {
  TestGraph graph;
  Node* x = graph.Placeholder("x", DType::kFloat);
  Node* first = graph.Op("first", "TestTwice", {{x, 0}}, "/gpu:0");
  Node* second = graph.Op("second", "TestTwice", {{first, 0}}, "/gpu:1");
  Node* host = graph.Op("host", "TestHostTwice", {{second, 0}});
  Node* third = graph.Op("third", "TestTwice", {{host, 0}}, "/gpu:0");
  DirectSession session(&graph.graph, OnFakeGpus());
  const auto results = RunOnce(&session, {{third, 0}, {first, 0}, {host, 0}}, {}, {{x, 0}},
                               {MakeTensor<float>({2}, {1, -3})});
  ASSERT_OK(results);
  ExpectClose((*results)[0], MakeTensor<float>({2}, {16, -48}), Ulps(0));
  ExpectClose((*results)[1], MakeTensor<float>({2}, {2, -6}), Ulps(0));
  ExpectClose((*results)[2], MakeTensor<float>({2}, {8, -24}), Ulps(0));
}

TEST(Devices, AValueCrossesOnceForSeveralReaders) {
  TestGraph graph;
  Node* x = graph.Placeholder("x", DType::kFloat);
  Node* a = graph.Op("a", "TestTwice", {{x, 0}}, "/gpu:0");
  Node* b = graph.Op("b", "TestTwice", {{x, 0}}, "/gpu:0");
  DirectSession session(&graph.graph, OnFakeGpus());
  SessionOptions plain = OnFakeGpus();
  plain.passes.disabled = {"all"};
  DirectSession unoptimised(&graph.graph, plain);
  const auto callable = unoptimised.MakeCallable({{x, 0}}, {{a, 0}, {b, 0}}, {});
  ASSERT_OK(callable);
  int sends = 0;
  for (const Item& item : (*callable)->program().items) sends += item.node->op().name == "_Send";
  EXPECT_EQ(sends, 3);  // x there, a and b back
}

// {variable, its initial value} alone would fit on a GPU; the whole graph has an op that does not.
TEST(Devices, TheWholeGraphDecidesWhereAVariableLives) {
  TestGraph graph;
  Node* step = graph.Variable("step", DType::kInt64, PartialShape(std::vector<int64_t>{}));
  Node* zero = graph.Const("zero", Tensor::Scalar<int64_t>(0));
  Node* one = graph.Const("one", Tensor::Scalar<int64_t>(1));
  Node* init = graph.Op("init", "Assign", {{step, 0}, {zero, 0}});
  Node* add = graph.Op("add", "AssignAdd", {{step, 0}, {one, 0}});
  DirectSession session(&graph.graph, OnFakeGpus());
  ASSERT_OK(RunOnce(&session, {}, {init}));
  ASSERT_OK(RunOnce(&session, {}, {add}));
  const auto value = RunOnce(&session, {{step, 0}});
  ASSERT_OK(value);
  EXPECT_EQ(*(*value)[0].data<int64_t>(), int64_t{1});
}

TEST(Devices, AVariableStaysWhereItWasFirstUsed) {
  TestGraph graph;
  Node* variable = graph.Variable("v", DType::kFloat, {2});
  Node* value = graph.Const("value", MakeTensor<float>({2}, {1, 2}));
  Node* init = graph.Op("init", "Assign", {{variable, 0}, {value, 0}});
  DirectSession session(&graph.graph, OnFakeGpus());
  ASSERT_OK(RunOnce(&session, {}, {init}));
  Node* again = graph.Op("again", "TestTwice", {{variable, 0}}, "/gpu:1");
  const auto results = RunOnce(&session, {{again, 0}, {variable, 0}});
  ASSERT_OK(results);
  ExpectClose((*results)[0], MakeTensor<float>({2}, {2, 4}), Ulps(0));
  EXPECT_TRUE(DeviceOfItem(&session, {again, 0}, "v/_send") == FakeGpuAt(0));
  // An op that would pull it to the host is refused, with the reason.
  Node* late = graph.Op("late", "AssignAdd", {{variable, 0}, {value, 0}});
  EXPECT_ERROR(RunOnce(&session, {}, {late}), Code::kInvalidArgument, "has no kernel there");
}

TEST(Devices, OneVariableUnderTwoNodesIsOnOneDevice) {
  TestGraph graph;
  Node* a = graph.Variable("a", DType::kFloat, {2}, "shared");
  Node* b = graph.Variable("b", DType::kFloat, {2}, "shared");
  Node* value = graph.Const("value", MakeTensor<float>({2}, {1, 2}));
  Node* init = graph.Op("init", "Assign", {{a, 0}, {value, 0}}, "/gpu:1");
  DirectSession session(&graph.graph, OnFakeGpus());
  ASSERT_OK(RunOnce(&session, {}, {init}));
  const auto results = RunOnce(&session, {{b, 0}});
  ASSERT_OK(results);
  ExpectClose((*results)[0], MakeTensor<float>({2}, {1, 2}), Ulps(0));
}

// What was read before a later assignment is what was there then, on another device too.
TEST(Devices, AVariableIsReadWhenItsReaderRuns) {
  TestGraph graph;
  Node* variable = graph.Variable("v", DType::kFloat, {1});
  Node* one = graph.Const("one", MakeTensor<float>({1}, {1}));
  Node* five = graph.Const("five", MakeTensor<float>({1}, {5}));
  Node* init = graph.Op("init", "Assign", {{variable, 0}, {one, 0}}, "/gpu:0");
  Node* change = graph.Op("change", "Assign", {{variable, 0}, {five, 0}}, "/gpu:0");
  Node* after = *graph.graph.AddNode({"after", "TestHostTwice", {{variable, 0}}, {change}, {}, ""});
  DirectSession session(&graph.graph, OnFakeGpus());
  ASSERT_OK(RunOnce(&session, {}, {init}));
  const auto results = RunOnce(&session, {{after, 0}});
  ASSERT_OK(results);
  ExpectClose((*results)[0], MakeTensor<float>({1}, {10}), Ulps(0));
}

// On every device, with whatever was asked for first.
TEST(Devices, AFetchedVariableShowsWhatItHoldsWhenTheStepEnds) {
  for (const std::string device : {"/cpu:0", "/gpu:0"}) {
    TestGraph graph;
    Node* variable = graph.Variable("v", DType::kFloat, {1});
    Node* one = graph.Const("one", MakeTensor<float>({1}, {1}));
    Node* five = graph.Const("five", MakeTensor<float>({1}, {5}));
    Node* init = graph.Op("init", "Assign", {{variable, 0}, {one, 0}}, device);
    Node* read = graph.Op("read", "Identity", {{variable, 0}});
    Node* change = graph.Op("change", "Assign", {{variable, 0}, {five, 0}}, device);
    DirectSession session(&graph.graph, OnFakeGpus());
    ASSERT_OK(RunOnce(&session, {}, {init}));
    const auto results = RunOnce(&session, {{variable, 0}, {read, 0}, {variable, 0}}, {change});
    ASSERT_OK(results);
    for (const Tensor& result : *results) {
      ExpectClose(result, MakeTensor<float>({1}, {5}), Ulps(0));
    }
    EXPECT_OK(RunOnce(&session, {}, {init}));
    ExpectClose((*results)[2], MakeTensor<float>({1}, {5}), Ulps(0));  // and is the caller's
  }
}

// Constants of int32 lie on the host, for whoever reads a shape there: a kernel that wants one in the
// memory of its GPU has it there.
TEST(Devices, ConstantsAreWhereTheirReadersWantThem) {
  TestGraph graph;
  const Tensor numbers = MakeTensor<int32_t>({2}, {1, -3});
  const AttrMap kind{{"value", numbers}, {"dtype", DType::kInt32}};
  int number = 0;
  for (const char* place : {"", "/cpu:0", "/gpu:0", "/gpu:1"}) {
    Node* constant = graph.Op(StrCat("constant_", ++number), "Const", {}, place, kind);
    Node* widened = graph.Op(StrCat("widened_", number), "TestWiden", {{constant, 0}}, "/gpu:0");
    DirectSession session(&graph.graph, OnFakeGpus());
    const auto results = RunOnce(&session, {{widened, 0}, {constant, 0}});
    ASSERT_OK(results);
    ExpectClose((*results)[0], MakeTensor<float>({2}, {1, -3}), Ulps(0));
    ExpectClose((*results)[1], numbers, Ulps(0));
  }
}

// As in TensorFlow, whose kernels of GPUs for int32 read and write the host's memory; also where there
// is another kernel.
TEST(Devices, ShapesAreComputedOnTheHostOfTheGpuThatIsAskedFor) {
  TestGraph graph;
  Node* x = graph.Placeholder("x", DType::kInt32);
  Node* twice = graph.Op("twice", "TestTwice", {{x, 0}}, "/gpu:0");
  Node* y = graph.Placeholder("y", DType::kInt32);
  Node* larger = graph.Op("larger", "Maximum", {{x, 0}, {y, 0}}, "/gpu:0");
  Node* less = graph.Op("less", "Less", {{x, 0}, {y, 0}}, "/gpu:0");
  Node* z = graph.Placeholder("z", DType::kDouble);
  Node* refused = graph.Op("refused", "Lgamma", {{z, 0}}, "/gpu:0");
  SessionOptions strict = OnFakeGpus();
  strict.allow_soft_placement = false;
  DirectSession session(&graph.graph, strict);
  const auto results =
      RunOnce(&session, {{larger, 0}, {less, 0}}, {}, {{x, 0}, {y, 0}},
              {MakeTensor<int32_t>({2}, {1, 5}), MakeTensor<int32_t>({2}, {2, 3})});
  ASSERT_OK(results);
  ExpectClose((*results)[0], MakeTensor<int32_t>({2}, {2, 5}), Ulps(0));
  ExpectClose((*results)[1], MakeTensor<bool>({2}, {true, false}), Ulps(0));
  const auto callable = session.MakeCallable({{x, 0}}, {{twice, 0}}, {});
  ASSERT_OK(callable);
  for (const Item& item : (*callable)->program().items) EXPECT_TRUE(item.device == CpuDevice());
  EXPECT_ERROR(RunOnce(&session, {{refused, 0}}, {}, {{z, 0}}, {MakeTensor<double>({1}, {1})}),
               Code::kInvalidArgument, "has no kernel for");
}

// Else what is asked about would be copied to the host, and waited for, for some numbers.
TEST(Devices, AShapeIsAskedForWhereTheTensorIs) {
  TestGraph graph;
  Node* x = graph.Placeholder("x", DType::kFloat);
  Node* there = graph.Op("there", "TestTwice", {{x, 0}}, "/gpu:1");
  Node* shape = graph.Op("shape", "Shape", {{there, 0}});
  Node* twice = graph.Op("twice", "AddV2", {{shape, 0}, {shape, 0}});
  Node* of_fed = graph.Op("of_fed", "Shape", {{x, 0}});
  DirectSession session(&graph.graph, OnFakeGpus());
  const auto results = RunOnce(&session, {{twice, 0}, {of_fed, 0}}, {}, {{x, 0}},
                               {MakeTensor<float>({2, 1}, {1, -3})});
  ASSERT_OK(results);
  ExpectClose((*results)[0], MakeTensor<int32_t>({2}, {4, 2}), Ulps(0));
  ExpectClose((*results)[1], MakeTensor<int32_t>({2}, {2, 1}), Ulps(0));
  const auto device_of = [&](const Endpoint& fetch, const std::string& name) {
    const auto callable = session.MakeCallable({{x, 0}}, {fetch}, {});
    EXPECT_OK(callable);
    Device* found = nullptr;
    for (const Item& item : (*callable)->program().items) {
      if (item.node->name() == name) found = item.device;
      EXPECT_TRUE(item.node->name() != "there/_send");
    }
    return found;
  };
  EXPECT_TRUE(device_of({twice, 0}, "shape") == FakeGpuAt(1));
  EXPECT_TRUE(device_of({twice, 0}, "twice") == CpuDevice());
  EXPECT_TRUE(device_of({of_fed, 0}, "of_fed") == CpuDevice());
}

// Its size, which the host knows, does not keep it there.
TEST(Devices, AnArrayIsOnAGpu) {
  TestGraph graph;
  Node* three = graph.Const("three", Tensor::Scalar<int32_t>(3));
  for (const DType dtype : {DType::kFloat, DType::kString, DType::kInt32}) {
    const std::string name = DTypeName(dtype);
    Node* array = graph.Op(name, "TensorArrayV3", {{three, 0}}, "", {{"dtype", dtype}});
    Node* size = graph.Op(name + "/size", "TensorArraySizeV3", {{array, 0}, {array, 1}});
    graph.Op(name + "/read", "TensorArrayReadV3", {{array, 0}, {three, 0}, {array, 1}}, "",
             {{"dtype", dtype}});
    DirectSession session(&graph.graph, OnFakeGpus());
    Device* const device = DeviceOfItem(&session, {size, 0}, name);
    EXPECT_TRUE(device == (dtype == DType::kFloat ? FakeGpuAt(0) : CpuDevice()));
  }
}

// As optimisers ask, beside the variable, for which of its rows there are gradients.
TEST(Devices, NumbersOfRowsAreFoundBesideAVariableOnAGpu) {
  TestGraph graph;
  Node* variable = graph.Variable("v", DType::kFloat, {2});
  Node* value = graph.Const("value", MakeTensor<float>({2}, {1, 2}));
  Node* init = graph.Op("init", "Assign", {{variable, 0}, {value, 0}});
  Node* ids = graph.Placeholder("ids", DType::kInt32);
  const std::vector<std::string> beside{"loc:@v"};
  Node* rows = graph.Op("rows", "Unique", {{ids, 0}}, "", {{"_class", beside}});
  graph.Op("count", "Size", {{ids, 0}}, "", {{"_class", beside}});
  graph.Op("next", "AddV2", {{rows, 0}, {rows, 0}}, "", {{"_class", beside}});
  DirectSession session(&graph.graph, OnFakeGpus());
  ASSERT_OK(RunOnce(&session, {}, {init}));
  const auto results = RunOnce(&session, {{variable, 0}, {rows, 0}, {rows, 1}}, {}, {{ids, 0}},
                               {MakeTensor<int32_t>({3}, {7, 5, 7})});
  ASSERT_OK(results);
  ExpectClose((*results)[1], MakeTensor<int32_t>({2}, {7, 5}), Ulps(0));
  ExpectClose((*results)[2], MakeTensor<int32_t>({3}, {0, 1, 0}), Ulps(0));
  EXPECT_TRUE(DeviceOfItem(&session, {init, 0}, "init") == FakeGpuAt(0));
  EXPECT_TRUE(DeviceOfItem(&session, {rows, 0}, "rows") == CpuDevice());
}

TEST(Devices, ALoopComputesOnAGpu) {
  TestGraph graph;
  Node* x = graph.Placeholder("x", DType::kFloat);
  const Endpoint last = graph.CountedLoop("loop", {x, 0}, 3, [&](Endpoint value) {
    return Endpoint{graph.Op("twice", "TestTwice", {value}, "/gpu:0"), 0};
  });
  DirectSession session(&graph.graph, OnFakeGpus());
  const auto results =
      RunOnce(&session, {last}, {}, {{x, 0}}, {MakeTensor<float>({1}, {1})});
  ASSERT_OK(results);
  ExpectClose((*results)[0], MakeTensor<float>({1}, {8}), Ulps(0));
}

TEST(Devices, AFailureOfTheDeviceFailsTheStep) {
  TestGraph graph;
  Node* x = graph.Placeholder("x", DType::kFloat);
  Node* twice = graph.Op("twice", "TestTwice", {{x, 0}}, "/gpu:0");
  DirectSession session(&graph.graph, OnFakeGpus());
  FakeGpuAt(0)->FailNext(Internal("the kernel went wrong"));
  EXPECT_ERROR(RunOnce(&session, {{twice, 0}}, {}, {{x, 0}}, {MakeTensor<float>({1}, {1})}),
               Code::kInternal, "went wrong");
  EXPECT_OK(RunOnce(&session, {{twice, 0}}, {}, {{x, 0}}, {MakeTensor<float>({1}, {1})}));
}

TEST(Devices, LackOfDeviceMemoryIsAnError) {
  TestGraph graph;
  Node* x = graph.Placeholder("x", DType::kFloat);
  Node* twice = graph.Op("twice", "TestTwice", {{x, 0}}, "/gpu:0");
  DirectSession session(&graph.graph, OnFakeGpus());
  const Tensor large = *Tensor::Allocate(CpuAllocator(), DType::kFloat, {1 << 23});
  EXPECT_ERROR(RunOnce(&session, {{twice, 0}}, {}, {{x, 0}}, {large}), Code::kResourceExhausted,
               "out of memory");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
