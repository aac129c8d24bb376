// Which work of steps is captured and queued again: convolutions, and kernels that check indices.
#include <thread>

#include "emulation/gpu_steps_test.h"
#include "graph/shape_context.h"

namespace tfbuild {
namespace testing {
namespace {

using Ints = std::vector<int64_t>;

// What cannot be captured.
class WaitingOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    RETURN_IF_ERROR(context->device()->Synchronize());
    context->SetOutput(0, context->input(0));
    return OkStatus();
  }
};
REGISTER_OP("TestWaiting").Input("x: float").Output("y: float").ShapeFunction(UnchangedShape);
REGISTER_KERNEL(Kernel("TestWaiting").OnGpu(), WaitingOp);
REGISTER_KERNEL(Kernel("TestWaiting").OnCpu(), WaitingOp);

// It parts a segment in two.
TEST(Steps, AreCapturedAroundWhatCannotBe) {
  SKIP_WITHOUT_GPU();
  TestGraph graph;
  Node* x = graph.Placeholder("x", DType::kFloat);
  Node* value = x;
  for (int i = 0; i < 12; ++i) {
    value = graph.Op(StrCat("op", i), i == 5 ? "TestWaiting" : "Softmax", {{value, 0}}, "/gpu:0");
  }
  DirectSession session(&graph.graph, {});
  SessionOptions on_cpu;
  on_cpu.use_gpu = false;
  DirectSession expected(&graph.graph, on_cpu);
  for (int i = 0; i < 10; ++i) {
    const Tensor fed = Numbers({3, 4}, static_cast<uint64_t>(i));
    const auto results = RunOnce(&session, {{value, 0}}, {}, {{x, 0}}, {fed});
    ASSERT_OK(results);
    const auto wanted = RunOnce(&expected, {{value, 0}}, {}, {{x, 0}}, {fed});
    ASSERT_OK(wanted);
    ExpectClose((*results)[0], (*wanted)[0], Ulps(64));
  }
  const auto callable = session.MakeCallable({{x, 0}}, {{value, 0}}, {});
  EXPECT_TRUE((*callable)->replays() > 8 || !HasPool());  // two in each of the later steps
}

// Convolutions, what networks have between them, and the gradients, of either format. Images come in with
// channels last.
class ConvolutionsOn {
 public:
  ConvolutionsOn(TestGraph* graph, Node* x, std::string device, bool last = true)
      : graph_(graph), device_(std::move(device)), last_(last) {
    const AttrMap window = Window(1);
    AttrMap pool = Window(2);
    pool["ksize"] = Each(2);
    const AttrMap format{{"data_format", window.at("data_format")}};
    const Endpoint input = last ? Endpoint{x, 0} : Turned({x, 0}, {0, 3, 1, 2});
    const Endpoint filter = Const(Numbers({3, 2, 3, 8}, 7));
    const Endpoint biased = Op("BiasAdd", {Op("Conv2D", {input, filter}, window),
                                           Const(Numbers({8}, 6))}, format);
    const Endpoint made = Op("Relu", {biased});
    const Endpoint pooled = Op("MaxPool", {made}, pool);
    const Endpoint more = Const(Numbers({2, 2, 8, 4}, 8));
    const Endpoint result = Op("Tanh", {Op("Conv2D", {pooled, more}, window)});
    const Endpoint back =
        Op("Conv2DBackpropInput", {Op("Shape", {pooled}), more, result}, window);
    const Endpoint through = Op("ReluGrad", {Op("MaxPoolGrad", {made, pooled, back}, pool), made});
    const Endpoint shape = Const(MakeTensor<int32_t>({4}, {3, 2, 3, 8}));
    fetches = {last ? result : Turned(result, {0, 2, 3, 1}),
               Op("Conv2DBackpropFilter", {input, shape, through}, window),
               Op("BiasAddGrad", {through}, format)};
  }
  std::vector<Endpoint> fetches;

 private:
  Ints Each(int64_t number) const {
    return last_ ? Ints{1, number, number, 1} : Ints{1, 1, number, number};
  }
  AttrMap Window(int64_t stride) const {
    return {{"strides", Each(stride)}, {"padding", std::string("SAME")},
            {"data_format", std::string(last_ ? "NHWC" : "NCHW")}};
  }
  std::string Name() { return StrCat(device_[1], last_ ? "last" : "first", next_++); }
  Endpoint Const(const Tensor& value) { return {graph_->Const(Name(), value), 0}; }
  Endpoint Op(const char* op, std::vector<Endpoint> inputs, AttrMap attrs = {}) {
    return {graph_->Op(Name(), op, std::move(inputs), device_, std::move(attrs)), 0};
  }
  Endpoint Turned(Endpoint value, const std::vector<double>& order) {
    return Op("Transpose", {value, Const(MakeTensor<int32_t>({4}, order))});
  }

  TestGraph* graph_;
  std::string device_;
  bool last_;
  int next_ = 0;
};

// Tests do without TF32 (testing/test_main.cc), and so GPUs are faster with channels first: a network that
// has them last is turned, with its gradients and sizes, and one that has them first is not.
TEST(Steps, NetworksTakeTheFormatOfTheGpu) {
  SKIP_WITHOUT_GPU();
  EXPECT_TRUE(!Gpu()->PrefersChannelsLast(DType::kFloat));
  EXPECT_TRUE(Gpu()->PrefersChannelsLast(DType::kHalf));
  TestGraph graph;
  Node* x = graph.Placeholder("x", DType::kFloat, PartialShape{kUnknownDim, 6, 8, 3});
  const ConvolutionsOn cpu(&graph, x, "/cpu:0");
  DirectSession session(&graph.graph, {});
  const Tensor fed = Numbers({2, 6, 8, 3}, 5);
  const auto wanted = RunOnce(&session, cpu.fetches, {}, {{x, 0}}, {fed});
  ASSERT_OK(wanted);
  for (const bool last : {false, true}) {
    const ConvolutionsOn gpu(&graph, x, "/gpu:0", last);
    const auto callable = session.MakeCallable({{x, 0}}, gpu.fetches, {});
    ASSERT_OK(callable);
    const auto passes = session.Explain(callable->get());
    ASSERT_OK(passes);
    EXPECT_EQ((*passes)->back().text.find("turned") != std::string::npos, last);
    std::vector<Tensor> results;
    ASSERT_OK(session.Run(**callable, {fed}, &results, {}));
    for (size_t k = 0; k < results.size(); ++k) {
      ExpectClose(results[k], (*wanted)[k], Slack(2e-3, "sums of numbers of both signs"));
    }
  }
}

TEST(Steps, ConvolutionsAreQueuedAgain) {
  SKIP_WITHOUT_GPU();
  TestGraph graph;
  Node* x = graph.Placeholder("x", DType::kFloat, PartialShape{kUnknownDim, 6, 8, 3});
  const ConvolutionsOn cpu(&graph, x, "/cpu:0");
  const ConvolutionsOn gpu(&graph, x, "/gpu:0");
  DirectSession session(&graph.graph, {});
  // Memory of the size of a workspace, which is somebody else's from some step on.
  const Tensor kept = Numbers({64}, 99);
  std::vector<Tensor> held;
  for (int i = 0; i < 10; ++i) {
    for (int k = 0; i == 6 && k < 8; ++k) {
      Allocator* const memory = k % 2 == 0 ? Gpu()->arrivals() : Gpu()->allocator();
      held.push_back(*Tensor::Allocate(memory, DType::kFloat, {64}));
      ASSERT_OK(Gpu()->CopyFromHost(kept, &held.back()));
    }
    const Tensor fed = Numbers({2, 6, 8, 3}, static_cast<uint64_t>(i));
    const auto wanted = RunOnce(&session, cpu.fetches, {}, {{x, 0}}, {fed});
    ASSERT_OK(wanted);
    const auto results = RunOnce(&session, gpu.fetches, {}, {{x, 0}}, {fed});
    ASSERT_OK(results);
    for (size_t k = 0; k < results->size(); ++k) {
      ExpectClose((*results)[k], (*wanted)[k], Slack(2e-3, "sums of numbers of both signs"));
    }
  }
  for (const Tensor& tensor : held) {
    Tensor found = *Tensor::Allocate(CpuAllocator(), DType::kFloat, {64});
    ASSERT_OK(Gpu()->CopyToHost(tensor, &found));
    ExpectClose(found, kept, Ulps(0));
  }
  const auto callable = session.MakeCallable({{x, 0}}, gpu.fetches, {});
  EXPECT_TRUE((*callable)->replays() > 4 || !HasPool());
}

// Rows of a table, by numbers that each step brings, among other work.
struct Lookups {
  Lookups() {
    rows = graph.Placeholder("rows", DType::kInt64);
    Node* params = graph.Const("params", Numbers({3, 4}, 3));
    Node* value = graph.Op("gather", "GatherNd", {{params, 0}, {rows, 0}}, "/gpu:0");
    for (int i = 0; i < 5; ++i) value = graph.Op(StrCat("op", i), "Softmax", {{value, 0}}, "/gpu:0");
    last = value;
  }
  Result<std::vector<Tensor>> Run(const std::vector<double>& numbers) {
    return RunOnce(&session, {{last, 0}}, {}, {{rows, 0}},
                   {MakeTensor<int64_t>({static_cast<int64_t>(numbers.size()), 1}, numbers)});
  }
  int64_t replays() { return (*session.MakeCallable({{rows, 0}}, {{last, 0}}, {}))->replays(); }

  TestGraph graph;
  Node* rows;
  Node* last;
  DirectSession session{&graph.graph, {}};
};

TEST(Steps, AWrongIndexInWorkThatIsQueuedAgainFailsItsStepAlone) {
  SKIP_WITHOUT_GPU();
  Lookups lookups;
  const auto expected = lookups.Run({2, 0});
  ASSERT_OK(expected);
  for (int i = 0; i < 20; ++i) {
    const auto right = lookups.Run({2, 0});
    ASSERT_OK(right);
    ExpectClose((*right)[0], (*expected)[0], Ulps(0));
    if (i < 6 || i % 3 != 0) continue;
    EXPECT_ERROR(lookups.Run({1, 7.0 + i}).status(), Code::kInvalidArgument,
                 StrCat("indices[1] = ", 7 + i, " is out of range [0, 3), in node gather"));
  }
  EXPECT_TRUE(lookups.replays() > 12 || !HasPool());
}

TEST(Steps, EachOfSeveralThreadsHasItsWrongIndex) {
  SKIP_WITHOUT_GPU();
  Lookups lookups;
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&lookups, t] {
      for (int i = 0; i < 20; ++i) {
        const int row = i % 4 == 3 ? 10 + t : t;
        const Status status = lookups.Run({0, double(row)}).status();
        if (row < 3) {
          EXPECT_OK(status);
        } else {
          EXPECT_ERROR(status, Code::kInvalidArgument, StrCat("indices[1] = ", row));
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
