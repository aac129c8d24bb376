#include "kernels/framework/step_context.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

template <typename T>
void TakesElementsAndSlices() {
  const Tensor params = MakeTensor<T>({2, 3}, {1, 2, 3, 4, 5, 6});
  OpTest("GatherNd")
      .Input(params)
      .Input(MakeTensor<int32_t>({2, 2}, {1, 2, 0, 0}))
      .Expect(MakeTensor<T>({2}, {6, 1}))
      .Run();
  OpTest("GatherNd")
      .Input(params)
      .Input(MakeTensor<int64_t>({2, 1, 1}, {1, 1}))
      .Expect(MakeTensor<T>({2, 1, 3}, {4, 5, 6, 4, 5, 6}))
      .Run();
}

TEST(GatherNd, Float) { TakesElementsAndSlices<float>(); }
TEST(GatherNd, Double) { TakesElementsAndSlices<double>(); }
TEST(GatherNd, Half) { TakesElementsAndSlices<Half>(); }
TEST(GatherNd, Int8) { TakesElementsAndSlices<int8_t>(); }

TEST(GatherNd, NoCoordinatesAreTheWhole) {
  OpTest("GatherNd")
      .Input(MakeTensor<float>({2}, {1, 2}))
      .Input(MakeTensor<int32_t>({2, 0}, {}))
      .Expect(MakeTensor<float>({2, 2}, {1, 2, 1, 2}))
      .Run();
}

TEST(GatherNd, RejectsCoordinatesOutside) {
  for (const double at : {-1.0, 3.0}) {
    OpTest("GatherNd")
        .Input(MakeTensor<float>({3}, {1, 2, 3}))
        .Input(MakeTensor<int32_t>({1, 1}, {at}))
        .RunExpectingError(Code::kInvalidArgument, "indices[0]");
  }
  OpTest("GatherNd")
      .Input(MakeTensor<float>({3}, {1, 2, 3}))
      .Input(MakeTensor<int32_t>({1, 2}, {0, 0}))
      .RunExpectingError(Code::kInvalidArgument, "rank");
}

TEST(GatherNd, IgnoresCoordinatesOutsideWhereItIsAskedTo) {
  const auto test = [](const char* policy) {
    return OpTest("GatherNd")
        .Attr("bad_indices_policy", std::string(policy))
        .Input(MakeTensor<float>({2, 2}, {1, 2, 3, 4}))
        .Input(MakeTensor<int32_t>({4, 1}, {1, 2, -1, 0}));
  };
  test("IGNORE").Expect(MakeTensor<float>({4, 2}, {3, 4, 0, 0, 0, 0, 1, 2})).Run();
  for (const char* policy : {"", "DEFAULT", "ERROR"}) {
    test(policy).RunExpectingError(Code::kInvalidArgument, "indices[");
  }
  test("ignore").RunExpectingError(Code::kInvalidArgument, "bad_indices_policy");
  OpTest("GatherNd")
      .Attr("bad_indices_policy", std::string("IGNORE"))
      .Input(Tensor::Strings(Shape{2}, {"a", "b"}))
      .Input(MakeTensor<int32_t>({2, 1}, {7, 1}))
      .Expect(Tensor::Strings(Shape{2}, {"", "b"}))
      .Run();
}

template <typename T>
void AddsUp() {
  OpTest("ScatterNd")
      .Input(MakeTensor<int32_t>({3, 1}, {1, 3, 1}))
      .Input(MakeTensor<T>({3, 2}, {1, 2, 3, 4, 5, 6}))
      .Input(Tensor::Vector<int32_t>({4, 2}))
      .Expect(MakeTensor<T>({4, 2}, {0, 0, 6, 8, 0, 0, 3, 4}))
      .Run();
}

TEST(ScatterNd, Float) { AddsUp<float>(); }
TEST(ScatterNd, Double) { AddsUp<double>(); }
TEST(ScatterNd, Half) { AddsUp<Half>(); }
TEST(ScatterNd, BFloat16) { AddsUp<BFloat16>(); }
TEST(ScatterNd, Int64) { AddsUp<int64_t>(); }

TEST(ScatterNd, IgnoresCoordinatesOutsideWhereItIsAskedTo) {
  OpTest("ScatterNd")
      .Attr("bad_indices_policy", std::string("IGNORE"))
      .Input(MakeTensor<int32_t>({4, 1}, {0, 9, -1, 1}))
      .Input(MakeTensor<float>({4}, {1, 2, 3, 4}))
      .Input(Tensor::Vector<int32_t>({3}))
      .Expect(MakeTensor<float>({3}, {1, 4, 0}))
      .Run();
}

TEST(ScatterNd, RejectsWhatDoesNotFit) {
  OpTest("ScatterNd")
      .Input(MakeTensor<int32_t>({1, 1}, {4}))
      .Input(MakeTensor<float>({1}, {1}))
      .Input(Tensor::Vector<int32_t>({4}))
      .RunExpectingError(Code::kInvalidArgument, "indices[0]");
  OpTest("ScatterNd")
      .Input(MakeTensor<int32_t>({1, 1}, {0}))
      .Input(MakeTensor<float>({2}, {1, 2}))
      .Input(Tensor::Vector<int32_t>({4}))
      .RunExpectingError(Code::kInvalidArgument, "");
}

// Steps of several threads share a GPU: each reports its own wrong index, whoever ends first.
TEST(GatherNd, AWrongIndexIsThatOfItsStep) {
  Graph graph;
  const Tensor params = MakeTensor<float>({2}, {1, 2});
  const Tensor wrong = MakeTensor<int32_t>({1, 1}, {9});
  const auto source = [&](const char* name, const Tensor& value) {
    return Endpoint{*graph.AddNode({name, "Const", {}, {},
                                    {{"dtype", value.dtype()}, {"value", value}}, ""}), 0};
  };
  Node* node = *graph.AddNode({"op", "GatherNd", {source("params", params), source("wrong", wrong)},
                               {}, {}, ""});
  for (Device* device : LocalDevices()) {
    if (device->type() != DeviceType::kGpu) continue;
    const auto there = [device](const Tensor& tensor) {
      Tensor copy = *Tensor::Allocate(device->allocator(), tensor.dtype(), tensor.shape());
      EXPECT_OK(device->CopyFromHost(tensor, &copy));
      return Entry{copy, nullptr};
    };
    const std::unique_ptr<OpKernel> kernel =
        (*KernelRegistry::Global().Find(*node, device->type()))->make();
    ResourceManager resources;
    ASSERT_OK(kernel->Init({*node, device, &resources}));
    std::vector<Entry> inputs{there(params), there(wrong)};
    const std::vector<Entry*> pointers = EntryPointers(&inputs);
    const bool on_host[] = {false, false};
    StepContext failing(1), other(2);
    Entry output;
    OpKernelContext context({node, device, pointers.data(), &output, on_host, on_host, nullptr,
                             &failing});
    ASSERT_OK(kernel->Compute(&context));
    EXPECT_OK(device->EndStep(&other));
    EXPECT_ERROR(device->EndStep(&failing), Code::kInvalidArgument, "in node op");
    EXPECT_OK(device->EndStep(&failing));
  }
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
