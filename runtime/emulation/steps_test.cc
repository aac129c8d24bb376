// Steps of sessions on GPUs: what they wait for, and segments of them that are captured and queued
// again, whatever changes between them.
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <thread>

#include "emulation/gpu_steps_test.h"
#include "testing/op_test.h"
#include "testing/run_kernel.h"

namespace tfbuild {
namespace testing {
namespace {

// A number that the emulation counts.
uint64_t Counted(const char* name) {
  const auto count = reinterpret_cast<uint64_t (*)()>(dlsym(RTLD_DEFAULT, name));
  EXPECT_TRUE(count != nullptr);
  return count == nullptr ? 0 : count();
}

constexpr int64_t kColumns = 8;

// A few kernels between a value that is fed and one that is fetched; on the CPU what is expected.
class Layers {
 public:
  Layers() {
    x = graph.Placeholder("x", DType::kFloat);
    axis = graph.Placeholder("axis", DType::kInt32, PartialShape(std::vector<int64_t>{}));
    weights = graph.Const("weights", Numbers({kColumns, kColumns}, 77));
    for (const bool on_gpu : {false, true}) result[on_gpu] = Add(on_gpu ? "/gpu:0" : "/cpu:0");
  }

  // Runs on both and compares.
  void Step(const Tensor& value, int32_t along = 0) {
    const std::vector<Tensor> fed{value, Tensor::Scalar<int32_t>(along)};
    const auto expected = Run(false, fed);
    const auto found = Run(true, fed);
    ASSERT_OK(expected);
    ASSERT_OK(found);
    ExpectClose((*found)[0], (*expected)[0], Slack(1e-4, "sums of numbers of both signs"));
  }
  Result<std::vector<Tensor>> Run(bool on_gpu, const std::vector<Tensor>& fed) {
    return RunOnce(&session, {{result[on_gpu], 0}}, {}, {{x, 0}, {axis, 0}}, fed);
  }
  int64_t replays() {
    return (*session.MakeCallable({{x, 0}, {axis, 0}}, {{result[true], 0}}, {}))->replays();
  }

 private:
  Node* Add(const std::string& device) {
    const auto name = [&device](const char* what) { return StrCat(what, device == "/gpu:0"); };
    Node* product = graph.Op(name("product"), "MatMul", {{x, 0}, {weights, 0}}, device);
    Node* softmax = graph.Op(name("softmax"), "Softmax", {{product, 0}}, device);
    Node* again = graph.Op(name("again"), "MatMul", {{softmax, 0}, {weights, 0}}, device);
    Node* maximum = graph.Op(name("max"), "Max", {{again, 0}, {axis, 0}}, device,
                             {{"keep_dims", true}});
    Node* more = graph.Op(name("more"), "AddV2", {{again, 0}, {maximum, 0}}, device);
    return graph.Op(name("sum"), "Sum", {{more, 0}, {axis, 0}}, device, {{"keep_dims", false}});
  }

 public:
  TestGraph graph;
  Node* x;
  Node* axis;
  Node* weights;
  Node* result[2];
  DirectSession session{&graph.graph, {}};
};

// Whose int32 lies on the host; and the emulation ends a process whose kernel gets an address there.
TEST(Steps, IndicesThatAreConstantsAreReadOnTheGpu) {
  SKIP_WITHOUT_GPU();
  TestGraph graph;
  Node* x = graph.Placeholder("x", DType::kFloat);
  Node* axis = graph.Const("axis", Tensor::Scalar<int32_t>(0));
  Node* rows = graph.Const("rows", MakeTensor<int32_t>({3}, {2, 0, 2}));
  Node* gather = graph.Op("gather", "GatherV2", {{x, 0}, {rows, 0}, {axis, 0}}, "/gpu:0");
  Node* cast = graph.Op("cast", "Cast", {{rows, 0}}, "/gpu:0", {{"DstT", DType::kFloat}});
  DirectSession session(&graph.graph, {});
  const auto found = RunOnce(&session, {{gather, 0}, {cast, 0}}, {}, {{x, 0}},
                             {MakeTensor<float>({3, 1}, {5, 6, 7})});
  ASSERT_OK(found);
  ExpectClose((*found)[0], MakeTensor<float>({3, 1}, {7, 5, 7}), Ulps(0));
  ExpectClose((*found)[1], MakeTensor<float>({3}, {2, 0, 2}), Ulps(0));
}

// Run by itself: whoever gives a kernel memory of the host is not to go on.
TEST(HostAddress, EndsTheProcess) {
  SKIP_WITHOUT_GPU();
  if (Gpu()->description().rfind("an emulated GPU", 0) != 0) SKIP_TEST("a GPU only fails");
  TestGraph graph;
  Node* x = graph.Placeholder("x", DType::kFloat);
  Node* relu = graph.Op("relu", "Relu", {{x, 0}});
  const auto registration = KernelRegistry::Global().Find(*relu, DeviceType::kGpu);
  ASSERT_OK(registration);
  const std::unique_ptr<OpKernel> kernel = (*registration)->make();
  ResourceManager resources;
  ASSERT_OK(kernel->Init({*relu, Gpu(), &resources}));
  std::vector<Entry> inputs{{Numbers({8}, 1), nullptr}};
  std::vector<Entry> outputs(1);
  const std::vector<Entry*> pointers = EntryPointers(&inputs);
  const auto flags = Flags({false});
  OpKernelContext context({relu, Gpu(), pointers.data(), outputs.data(), flags.get(), flags.get()});
  EXPECT_OK(kernel->Compute(&context));
}

TEST(Steps, EqualOnesAreQueuedAgain) {
  SKIP_WITHOUT_GPU();
  Layers layers;
  for (int i = 0; i < 8; ++i) layers.Step(Numbers({3, kColumns}, static_cast<uint64_t>(i)));
  EXPECT_TRUE(layers.replays() > 3 || !HasPool());
}

TEST(Steps, OtherSizesAreComputedAnew) {
  SKIP_WITHOUT_GPU();
  Layers layers;
  uint64_t seed = 0;
  for (const int64_t rows : {3, 3, 3, 3, 5, 3, 3, 2, 5, 5, 5, 5, 5, 5, 5, 5, 3, 5, 3, 5, 3, 3, 3}) {
    layers.Step(Numbers({rows, kColumns}, ++seed));
  }
  EXPECT_TRUE(layers.replays() > 3 || !HasPool());
}

// As many bytes, and so the same address.
TEST(Steps, OtherShapesAreComputedAnew) {
  SKIP_WITHOUT_GPU();
  TestGraph graph;
  Node* x = graph.Placeholder("x", DType::kFloat);
  Node* value = x;
  for (int i = 0; i < 5; ++i) {
    value = graph.Op(StrCat("op", i), i % 2 == 0 ? "Softmax" : "Neg", {{value, 0}}, "/gpu:0");
  }
  DirectSession session(&graph.graph, {});
  SessionOptions on_cpu;
  on_cpu.use_gpu = false;
  DirectSession expected(&graph.graph, on_cpu);
  for (const int64_t rows : {4, 4, 4, 4, 6, 4, 6, 6, 6, 6, 6, 6, 4, 6}) {
    const Tensor fed = Numbers({rows, 24 / rows}, static_cast<uint64_t>(rows));
    const auto results = RunOnce(&session, {{value, 0}}, {}, {{x, 0}}, {fed});
    ASSERT_OK(results);
    const auto wanted = RunOnce(&expected, {{value, 0}}, {}, {{x, 0}}, {fed});
    ASSERT_OK(wanted);
    ExpectClose((*results)[0], (*wanted)[0], Ulps(64));
  }
}

TEST(Steps, OtherValuesOnTheHostAreComputedAnew) {
  SKIP_WITHOUT_GPU();
  Layers layers;
  const Tensor square = Numbers({kColumns, kColumns}, 5);
  for (const int32_t along : {0, 0, 0, 0, 1, 0, 0, 1, 1, 1, 1, 1, 1, 1, 0}) {
    layers.Step(square, along);
  }
  EXPECT_TRUE(layers.replays() > 2 || !HasPool());
}

TEST(Steps, OtherAddressesAreComputedAnew) {
  SKIP_WITHOUT_GPU();
  Layers layers;
  uint64_t seed = 0;
  std::vector<Tensor> held;
  for (int i = 0; i < 24; ++i) {
    layers.Step(Numbers({3, kColumns}, ++seed));
    if (i % 5 != 4) continue;
    // The memory of the last value that was fed is somebody else's now.
    held.push_back(*Tensor::Allocate(Gpu()->arrivals(), DType::kFloat, {3, kColumns}));
    ASSERT_OK(Gpu()->CopyFromHost(Numbers({3, kColumns}, 1000 + seed), &held.back()));
  }
  EXPECT_TRUE(layers.replays() > 3 || !HasPool());
}

TEST(Steps, SeveralAtOnce) {
  SKIP_WITHOUT_GPU();
  Layers layers;
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&layers, t] {
      for (int i = 0; i < 12; ++i) {
        layers.Step(Numbers({3 + t % 2, kColumns}, static_cast<uint64_t>(100 * t + i)));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Variables share the memory of a result while the next one is made.
TEST(Steps, AResultThatAVariableHoldsStays) {
  SKIP_WITHOUT_GPU();
  TestGraph graph;
  Node* x = graph.Placeholder("x", DType::kFloat);
  Node* last = graph.Variable("last", DType::kFloat, {3});
  Node* older = graph.Variable("older", DType::kFloat, {3});
  Node* zero = graph.Const("zero", Numbers({3}, 1));
  Node* init = graph.Op("init", "Assign", {{last, 0}, {zero, 0}}, "/gpu:0");
  Node* keep = graph.Op("keep", "Assign", {{older, 0}, {last, 0}}, "/gpu:0");
  Node* value = x;
  for (int i = 0; i < 5; ++i) {
    value = graph.Op(StrCat("softmax", i), "Softmax", {{value, 0}}, "/gpu:0", {}, {keep});
  }
  Node* change = graph.Op("change", "Assign", {{last, 0}, {value, 0}}, "/gpu:0", {}, {keep});
  DirectSession session(&graph.graph, {});
  ASSERT_OK(RunOnce(&session, {}, {init}));
  Tensor expected = Numbers({3}, 1);
  for (int i = 0; i < 12; ++i) {
    const auto results = RunOnce(&session, {{value, 0}}, {change}, {{x, 0}},
                                 {Numbers({3}, static_cast<uint64_t>(50 + i))});
    ASSERT_OK(results);
    const auto held = RunOnce(&session, {{older, 0}});
    ASSERT_OK(held);
    ExpectClose((*held)[0], expected, Ulps(0));
    expected = (*results)[0];
  }
}

// A small regression in which the variables change in place.
TEST(Steps, TrainingGoesAsOnTheCpu) {
  SKIP_WITHOUT_GPU();
  std::vector<Tensor> trained;
  for (const char* device : {"/cpu:0", "/gpu:0"}) {
    TestGraph graph;
    Node* x = graph.Placeholder("x", DType::kFloat);
    Node* rate = graph.Const("rate", MakeTensor<float>({}, {0.001}));
    Node* axis = graph.Const("axis", MakeTensor<int32_t>({1}, {1}));
    Node* weights = graph.Variable("weights", DType::kFloat, {kColumns, kColumns});
    Node* init = graph.Op("init", "Assign",
                          {{weights, 0}, {graph.Const("first", Numbers({kColumns, kColumns}, 9)), 0}},
                          device);
    Node* product = graph.Op("product", "MatMul", {{x, 0}, {weights, 0}}, device);
    Node* softmax = graph.Op("softmax", "Softmax", {{product, 0}}, device);
    Node* largest = graph.Op("max", "Max", {{softmax, 0}, {axis, 0}}, device, {{"keep_dims", true}});
    Node* less = graph.Op("less", "Sub", {{softmax, 0}, {largest, 0}}, device);
    Node* gradient = graph.Op("gradient", "MatMul", {{x, 0}, {less, 0}}, device,
                              {{"transpose_a", true}, {"transpose_b", false}});
    Node* train = graph.Op("train", "ApplyGradientDescent",
                           {{weights, 0}, {rate, 0}, {gradient, 0}}, device);
    DirectSession session(&graph.graph, {});
    ASSERT_OK(RunOnce(&session, {}, {init}));
    for (int i = 0; i < 12; ++i) {
      ASSERT_OK(RunOnce(&session, {}, {train}, {{x, 0}},
                        {Numbers({4, kColumns}, static_cast<uint64_t>(i))}));
    }
    const auto callable = session.MakeCallable({{x, 0}}, {}, {train});
    if (device[1] == 'g') EXPECT_TRUE((*callable)->replays() > 3 || !HasPool());
    const auto results = RunOnce(&session, {{weights, 0}});
    ASSERT_OK(results);
    trained.push_back((*results)[0]);
  }
  ExpectClose(trained[1], trained[0], Slack(1e-4, "sums of numbers of both signs"));
}

TEST(Steps, ValuesGoFromGpuToGpu) {
  SKIP_WITHOUT_GPU();
  TestGraph graph;
  Node* x = graph.Placeholder("x", DType::kFloat);
  Node* value = x;
  for (int i = 0; i < 12; ++i) {
    value = graph.Op(StrCat("op", i), i % 2 == 0 ? "Neg" : "Softmax", {{value, 0}},
                     i / 3 % 2 == 0 ? "/gpu:0" : "/gpu:1");
  }
  DirectSession session(&graph.graph, {});
  SessionOptions on_cpu;
  on_cpu.use_gpu = false;
  DirectSession expected(&graph.graph, on_cpu);
  for (int i = 0; i < 12; ++i) {
    const Tensor fed = Numbers({5, 7}, static_cast<uint64_t>(i));
    const auto results = RunOnce(&session, {{value, 0}}, {}, {{x, 0}}, {fed});
    ASSERT_OK(results);
    const auto wanted = RunOnce(&expected, {{value, 0}}, {}, {{x, 0}}, {fed});
    ASSERT_OK(wanted);
    ExpectClose((*results)[0], (*wanted)[0], Ulps(64));
  }
}

// Nothing is fetched, so nothing is waited for; and what was fed may change when the step has ended.
TEST(Steps, WithoutFetchesWaitForNothing) {
  SKIP_WITHOUT_GPU();
  if (!HasPool()) SKIP_TEST("to free a block waits");
  TestGraph graph;
  Node* x = graph.Placeholder("x", DType::kFloat);
  Node* variable = graph.Variable("v", DType::kFloat, {4});
  Node* negative = graph.Op("neg", "Neg", {{x, 0}}, "/gpu:0");
  Node* change = graph.Op("change", "Assign", {{variable, 0}, {negative, 0}}, "/gpu:0");
  DirectSession session(&graph.graph, {});
  Tensor fed = MakeTensor<float>({4}, {0, 0, 0, 0});
  ASSERT_OK(RunOnce(&session, {}, {change}, {{x, 0}}, {fed}));
  ASSERT_OK(Gpu()->Synchronize());
  const uint64_t waits = Counted("EmulationWaits");
  for (int i = 1; i <= 8; ++i) {
    std::fill_n(fed.mutable_data<float>(), 4, static_cast<float>(i));
    ASSERT_OK(RunOnce(&session, {}, {change}, {{x, 0}}, {fed}));
    std::fill_n(fed.mutable_data<float>(), 4, -99.0f);
  }
  EXPECT_EQ(Counted("EmulationWaits"), waits);
  const auto results = RunOnce(&session, {{variable, 0}});
  ASSERT_OK(results);
  ExpectClose((*results)[0], MakeTensor<float>({4}, {-8, -8, -8, -8}), Ulps(0));
}

// Only what comes before the fetched value.
TEST(Steps, WaitForWhatIsFetchedAlone) {
  SKIP_WITHOUT_GPU();
  if (!HasPool()) SKIP_TEST("to free a block waits");
  TestGraph graph;
  Node* x = graph.Placeholder("x", DType::kFloat);
  Node* fetched = graph.Op("fetched", "Softmax", {{x, 0}}, "/gpu:0");
  Node* last = fetched;
  for (int i = 0; i < 3; ++i) last = graph.Op(StrCat("later", i), "Softmax", {{last, 0}}, "/gpu:0");
  DirectSession session(&graph.graph, {});
  int with_work_left = 0;
  for (int i = 0; i < 30; ++i) {
    const Tensor fed = Numbers({2, 4}, static_cast<uint64_t>(i));
    const auto results = RunOnce(&session, {{fetched, 0}}, {last}, {{x, 0}}, {fed});
    ASSERT_OK(results);
    with_work_left += Counted("EmulationWorkLeft") > 0;
    OpTest("Softmax").Input(fed).Expect((*results)[0]).Within(Ulps(8)).Run();
  }
  EXPECT_TRUE(with_work_left > 5);
}

// Kernels run later than their step goes on; it ends with their error all the same.
TEST(Steps, AWrongIndexFailsItsStepAlone) {
  SKIP_WITHOUT_GPU();
  TestGraph graph;
  Node* rows = graph.Placeholder("rows", DType::kInt64);
  Node* params = graph.Const("params", Numbers({3, 4}, 3));
  Node* gather = graph.Op("gather", "GatherNd", {{params, 0}, {rows, 0}}, "/gpu:0");
  DirectSession session(&graph.graph, {});
  const auto run = [&](int64_t row) {
    return RunOnce(&session, {}, {gather}, {{rows, 0}}, {MakeTensor<int64_t>({1, 1}, {double(row)})})
        .status();
  };
  for (int i = 0; i < 4; ++i) {
    EXPECT_OK(run(2));
    EXPECT_ERROR(run(7), Code::kInvalidArgument, "in node gather");
  }
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
