#include "testing/variable_op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(Assign, SetsTheFirstValue) {
  VariableOpTest("Assign")
      .Uninitialized(DType::kFloat, {2})
      .Input(MakeTensor<float>({2}, {1, 2}))
      .ExpectVariable(MakeTensor<float>({2}, {1, 2}))
      .Run();
}

TEST(Assign, ReplacesAValue) {
  VariableOpTest("Assign")
      .Variable(MakeTensor<int64_t>({2}, {3, 4}))
      .Input(MakeTensor<int64_t>({2}, {1, 2}))
      .ExpectVariable(MakeTensor<int64_t>({2}, {1, 2}))
      .Run();
}

TEST(Assign, RejectsAnotherShape) {
  VariableOpTest("Assign")
      .Uninitialized(DType::kFloat, {2})
      .Input(MakeTensor<float>({3}, {1, 2, 3}))
      .RunExpectingError(Code::kInvalidArgument, "");
}

TEST(Assign, TakesAnyShapeWhereNoneIsDeclared) {
  VariableOpTest("Assign")
      .Uninitialized(DType::kFloat, PartialShape())
      .Input(MakeTensor<float>({3}, {1, 2, 3}))
      .ExpectVariable(MakeTensor<float>({3}, {1, 2, 3}))
      .Run();
}

// The variable's value after an Assign kernel has run on that value.
Tensor AssignedFrom(const Tensor& value) {
  Graph graph;
  Node* ref = *graph.AddNode({"v", "VariableV2", {}, {},
                              {{"dtype", DType::kFloat}, {"shape", PartialShape{2}}}, ""});
  Node* source = *graph.AddNode({"c", "Const", {}, {},
                                 {{"dtype", DType::kFloat}, {"value", value}}, ""});
  Node* node = *graph.AddNode({"a", "Assign", {{ref, 0}, {source, 0}}, {}, {}, ""});
  const std::unique_ptr<OpKernel> kernel =
      (*KernelRegistry::Global().Find(*node, DeviceType::kCpu))->make();
  ResourceManager store;
  EXPECT_OK(kernel->Init({*node, CpuDevice(), &store}));
  Variable variable;
  Entry inputs[2] = {{Tensor(), &variable}, {value, nullptr}};
  Entry output;
  const bool on_host[2] = {true, true};
  Entry* const pointers[2] = {&inputs[0], &inputs[1]};
  OpKernelContext context({node, CpuDevice(), pointers, &output, on_host, on_host});
  EXPECT_OK(kernel->Compute(&context));
  return variable.value;
}

TEST(Assign, KeepsTheValueWithoutACopy) {
  const Tensor value = MakeTensor<float>({2}, {1, 2});
  EXPECT_TRUE(AssignedFrom(value).raw() == value.raw());
}

TEST(Assign, CopiesMemoryThatIsNotOurs) {
  float fed[2] = {1, 2};  // an array of the caller, who may write to it later
  const Tensor value(DType::kFloat, {2}, std::make_shared<Buffer>(fed, sizeof(fed), nullptr));
  const Tensor assigned = AssignedFrom(value);
  fed[0] = 7;
  ExpectClose(assigned, MakeTensor<float>({2}, {1, 2}), Ulps(0));
}

TEST(Assign, MayChangeTheShape) {
  VariableOpTest("Assign")
      .Variable(MakeTensor<float>({2}, {3, 4}))
      .Input(MakeTensor<float>({3}, {1, 2, 3}))
      .Attr("validate_shape", false)
      .ExpectVariable(MakeTensor<float>({3}, {1, 2, 3}))
      .Run();
}

template <typename T>
void AddsAndSubtracts() {
  VariableOpTest("AssignAdd")
      .Variable(MakeTensor<T>({3}, {10, 20, 30}))
      .Input(MakeTensor<T>({3}, {1, 2, 3}))
      .ExpectVariable(MakeTensor<T>({3}, {11, 22, 33}))
      .Run();
  VariableOpTest("AssignSub")
      .Variable(MakeTensor<T>({3}, {10, 20, 30}))
      .Input(MakeTensor<T>({3}, {1, 2, 3}))
      .ExpectVariable(MakeTensor<T>({3}, {9, 18, 27}))
      .Run();
}

TEST(AssignAdd, Float) { AddsAndSubtracts<float>(); }
TEST(AssignAdd, Double) { AddsAndSubtracts<double>(); }
TEST(AssignAdd, Half) { AddsAndSubtracts<Half>(); }
TEST(AssignAdd, BFloat16) { AddsAndSubtracts<BFloat16>(); }
TEST(AssignAdd, Int32) { AddsAndSubtracts<int32_t>(); }
TEST(AssignAdd, Int64) { AddsAndSubtracts<int64_t>(); }

TEST(AssignAdd, NeedsAValue) {
  VariableOpTest("AssignAdd")
      .Uninitialized(DType::kFloat, {1})
      .Input(MakeTensor<float>({1}, {1}))
      .RunExpectingError(Code::kFailedPrecondition, "uninitialized");
}

TEST(AssignAdd, RejectsAnotherShape) {
  VariableOpTest("AssignAdd")
      .Variable(MakeTensor<float>({2}, {1, 2}))
      .Input(MakeTensor<float>({3}, {1, 2, 3}))
      .RunExpectingError(Code::kInvalidArgument, "");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
