#include "kernels/framework/resource_inputs.h"
#include "testing/infer_shape.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

Tensor Axis(int32_t axis) { return Tensor::Scalar(axis); }

TEST(Gather, AllTypes) {
#define CASE(T)                                                                           \
  OpTest("GatherV2").Input(MakeTensor<T>({3, 2}, {1, 2, 3, 4, 5, 6}))                     \
      .Input(Tensor::Vector<int32_t>({2, 0, 2})).Input(Axis(0))                           \
      .Expect(MakeTensor<T>({3, 2}, {5, 6, 1, 2, 5, 6})).Run();
  TFBUILD_NUMBER_TYPES(CASE)
#undef CASE
}

TEST(Gather, AxesAndIndexTypes) {
  const Tensor x = MakeTensor<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  OpTest("GatherV2").Input(x).Input(Tensor::Vector<int64_t>({2, 1})).Input(Axis(-1))
      .Expect(MakeTensor<float>({2, 2}, {3, 2, 6, 5})).Run();
  OpTest("GatherV2").Input(x).Input(Tensor::Scalar<int64_t>(1)).Input(Axis(1))
      .Expect(MakeTensor<float>({2}, {2, 5})).Run();
  OpTest("GatherV2").Input(x).Input(MakeTensor<int32_t>({2, 1}, {1, 0})).Input(Axis(0))
      .Expect(MakeTensor<float>({2, 1, 3}, {4, 5, 6, 1, 2, 3})).Run();
  OpTest("GatherV2").Input(x).Input(Tensor::Vector<int32_t>({})).Input(Axis(0))
      .Expect(MakeTensor<float>({0, 3}, {})).Run();
}

TEST(Gather, Batches) {
  OpTest("GatherV2").Input(MakeTensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}))
      .Input(MakeTensor<int32_t>({2, 2}, {0, 2, 1, 1})).Input(Axis(1))
      .Attr("batch_dims", int64_t{1}).Expect(MakeTensor<float>({2, 2}, {1, 3, 5, 5})).Run();
  // Between batch and axis lies another dimension.
  OpTest("GatherV2").Input(MakeTensor<float>({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}))
      .Input(MakeTensor<int32_t>({2, 1}, {1, 0})).Input(Axis(2)).Attr("batch_dims", int64_t{1})
      .Expect(MakeTensor<float>({2, 2, 1}, {2, 4, 5, 7})).Run();
}

TEST(Gather, Strings) {
  OpTest test("GatherV2");
  test.Input(Tensor::Strings({2}, {"a", "b"})).Input(Tensor::Vector<int32_t>({1})).Input(Axis(0));
  const Result<std::vector<Tensor>> outputs = test.RunOnCpu();
  ASSERT_OK(outputs);
  EXPECT_EQ((*outputs)[0].data<std::string>()[0], std::string("b"));
}

TEST(Gather, Rejects) {
  const Tensor x = MakeTensor<float>({2, 2}, {1, 2, 3, 4});
  const auto fails = [&x](const Tensor& indices, int32_t axis, int64_t batch_dims,
                          const std::string& part) {
    OpTest("GatherV2").Input(x).Input(indices).Input(Axis(axis)).Attr("batch_dims", batch_dims)
        .RunExpectingError(Code::kInvalidArgument, part);
  };
  fails(Tensor::Vector<int32_t>({0}), 2, 0, "out of range");
  fails(Tensor::Vector<int32_t>({0, 0}), 0, 1, "batch_dims");
  fails(Tensor::Vector<int32_t>({0, 0, 0}), 1, 1, "differ in batch dimension 0");
}

// An error on the CPU; zeros on a GPU, as in TensorFlow.
TEST(Gather, RowsOutside) {
  const Tensor x = MakeTensor<float>({2, 2}, {1, 2, 3, 4});
  OpTest test("GatherV2");
  test.Input(x).Input(MakeTensor<int32_t>({1, 3}, {1, 2, -1})).Input(Axis(0));
  EXPECT_ERROR(test.RunOnCpu(), Code::kInvalidArgument, "indices[0,1] = 2 is not in [0, 2)");
  OpTest negative("GatherV2");
  negative.Input(x).Input(Tensor::Vector<int32_t>({-1})).Input(Axis(0));
  EXPECT_ERROR(negative.RunOnCpu(), Code::kInvalidArgument, "= -1 is not in [0, 2)");
  for (Device* device : LocalDevices()) {
    if (device->type() == DeviceType::kCpu) continue;
    const Result<std::vector<Tensor>> rows = test.RunOn(device);
    ASSERT_OK(rows);
    ExpectClose((*rows)[0], MakeTensor<float>({1, 3, 2}, {3, 4, 0, 0, 0, 0}), Ulps(0));
  }
}

TEST(Gather, InfersShapes) {
  InferShape test("GatherV2");
  test.Input(DType::kFloat, {-1, 3, 5}).Input(DType::kInt32, {7, -1}).Input(Axis(1));
  EXPECT_EQ(*test.Infer(), PartialShape({-1, 7, -1, 5}));
}

Tensor There(Device* device, const Tensor& tensor) {
  Tensor there = *Tensor::Allocate(device->allocator(), tensor.dtype(), tensor.shape());
  CheckOk(__FILE__, __LINE__, "copy", device->CopyFromHost(tensor, &there));
  return there;
}

// Rows of a variable, on each device that has a kernel.
TEST(ResourceGather, OnEachDevice) {
  const Tensor indices = Tensor::Vector<int32_t>({2, 0, 2});
  Graph graph;
  Node* handle = *graph.AddNode({"handle", "VarHandleOp", {}, {},
                                 {{"dtype", DType::kFloat}, {"shape", PartialShape({3, 2})}}, ""});
  Node* rows = *graph.AddNode({"rows", "Const", {}, {},
                               {{"dtype", DType::kInt32}, {"value", indices}}, ""});
  Node* node = *graph.AddNode({"op", "ResourceGather", {{handle, 0}, {rows, 0}}, {},
                               {{"dtype", DType::kFloat}}, ""});
  for (Device* device : LocalDevices()) {
    const auto registration = KernelRegistry::Global().Find(*node, device->type());
    ASSERT_OK(registration);
    ResourceManager resources;
    StepContext step(1, &resources);
    const int64_t number = resources.Handle<Variable>("", "v");
    Variable* variable = resources.FindOrCreate<Variable>(number)->get();
    variable->value = There(device, MakeTensor<float>({3, 2}, {1, 2, 3, 4, 5, 6}));
    variable->device = device;
    std::vector<Entry> inputs{{HandleTensor(number), nullptr}, {There(device, indices), nullptr}};
    const std::vector<Entry*> pointers = EntryPointers(&inputs);
    const std::unique_ptr<OpKernel> kernel = (*registration)->make();
    ASSERT_OK(kernel->Init({*node, device, &resources}));
    Entry output;
    const bool inputs_on_host[] = {true, false};
    const bool output_on_host[] = {false};
    OpKernelContext context({node, device, pointers.data(), &output, inputs_on_host,
                             output_on_host, nullptr, &step});
    ASSERT_OK(kernel->Compute(&context));
    ASSERT_OK(device->Synchronize());
    Tensor found = *Tensor::Allocate(CpuAllocator(), DType::kFloat, output.value.shape());
    ASSERT_OK(device->CopyToHost(output.value, &found));
    ExpectClose(found, MakeTensor<float>({3, 2}, {5, 6, 1, 2, 5, 6}), Ulps(0));
  }
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
