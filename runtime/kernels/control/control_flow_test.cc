#include "testing/infer_shape.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(Switch, GivesOneOfItsOutputs) {
  for (const bool taken : {false, true}) {
    const Tensor data = MakeTensor<float>({2}, {1, 2});
    Graph graph;
    Node* source = *graph.AddNode(
        {"data", "Const", {}, {}, {{"value", data}, {"dtype", data.dtype()}}, ""});
    Node* predicate = *graph.AddNode(
        {"pred", "Const", {}, {},
         {{"value", Tensor::Scalar<bool>(taken)}, {"dtype", DType::kBool}}, ""});
    Node* node = *graph.AddNode({"switch", "Switch", {{source, 0}, {predicate, 0}}, {}, {}, ""});
    const auto kernel = (*KernelRegistry::Global().Find(*node, DeviceType::kCpu))->make();
    std::vector<Entry> inputs = {{data, nullptr}, {Tensor::Scalar<bool>(taken), nullptr}};
    const std::vector<Entry*> pointers = EntryPointers(&inputs);
    Entry outputs[2];
    const bool on_host[2] = {true, true};
    OpKernelContext context({node, CpuDevice(), pointers.data(), outputs, on_host, on_host});
    ASSERT_OK(kernel->Compute(&context));
    EXPECT_TRUE(outputs[taken ? 0 : 1].dead());
    ExpectClose(outputs[taken ? 1 : 0].value, data, Ulps(0));
  }
}

TEST(Merge, GivesTheFirstThatIsThere) {
  OpTest("Merge").Input(MakeTensor<float>({1}, {4})).Input(MakeTensor<float>({1}, {5}))
      .Expect(MakeTensor<float>({1}, {4})).Expect(Tensor::Scalar<int32_t>(0)).Run();
}

TEST(Merge, KnowsOfTheShapeWhatAllInputsAgreeIn) {
  const auto infer = [](PartialShape a, PartialShape b) {
    return InferShape("Merge").Input(DType::kFloat, a).Input(DType::kFloat, b).Infer();
  };
  EXPECT_EQ(*infer({2, 3}, {2, 4}), (PartialShape{2, kUnknownDim}));
  EXPECT_EQ(*infer({2, 3}, {2}), PartialShape());
  EXPECT_EQ(*infer({2, 3}, {2, 3}), (PartialShape{2, 3}));
}

TEST(Enter, PassesItsValueOn) {
  for (const char* op : {"Exit", "NextIteration"}) {
    OpTest(op).Input(MakeTensor<float>({1}, {4})).Expect(MakeTensor<float>({1}, {4})).Run();
  }
  OpTest("Enter").Input(MakeTensor<float>({1}, {4})).Attr("frame_name", std::string("loop"))
      .Expect(MakeTensor<float>({1}, {4})).Run();
}

TEST(LoopCond, WantsAScalar) {
  OpTest("LoopCond").Input(Tensor::Scalar<bool>(true)).Expect(Tensor::Scalar<bool>(true)).Run();
  OpTest("LoopCond").Input(MakeTensor<bool>({2}, {1, 1}))
      .RunExpectingError(Code::kInvalidArgument, "rank 0");
}

TEST(ControlTrigger, RunsAndGivesNothing) {
  const auto outputs = OpTest("ControlTrigger").RunOnCpu();
  ASSERT_OK(outputs);
  EXPECT_EQ(outputs->size(), size_t{0});
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
