// More than 2^32 elements: an index that is kept in 32 bits on the way is found. The tensors lie in
// memory of an emulated GPU that is only there where it is touched, one with so many processors that
// each thread has little to do, and only the first and the last blocks run (EMULATION_BLOCKS).
#include <functional>

#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

constexpr int64_t kBorder = int64_t{1} << 32;
constexpr int64_t kRows = 65539;  // kRows * kColumns is little more than the border
constexpr int64_t kColumns = 65541;
constexpr int64_t kLast = kRows * kColumns - 1;
constexpr int64_t kEnds = int64_t{256} << 10;  // bytes of new memory that are no zeros, at both ends

Device* Gpu() {
  Device* device = LocalDevices().back();
  return device->type() == DeviceType::kGpu ? device : nullptr;
}

#define SKIP_UNLESS_LARGE()                                                       \
  if (Gpu() == nullptr) SKIP_TEST(GpuStatus().message());                         \
  if (Gpu()->memory_bytes() < (int64_t{60} << 30)) SKIP_TEST("the GPU is small")

// `count` elements from element `first` on.
template <typename T>
Tensor PartOf(const Tensor& tensor, int64_t first, int64_t count) {
  T* data = static_cast<T*>(tensor.raw()) + first;
  const auto buffer = std::make_shared<Buffer>(data, static_cast<size_t>(count) * sizeof(T), nullptr);
  return Tensor(tensor.dtype(), Shape{count}, buffer);
}

// Memory of the GPU that nobody has written into: zeros but for its two ends.
Tensor OnGpu(DType dtype, const Shape& shape) {
  return *Tensor::Allocate(Gpu()->allocator(), dtype, shape);
}

Tensor OnGpu(const Tensor& host) {
  Tensor there = OnGpu(host.dtype(), host.shape());
  CheckOk(__FILE__, __LINE__, "copy", Gpu()->CopyFromHost(host, &there));
  return there;
}

template <typename T>
void Write(const Tensor& tensor, int64_t first, const std::vector<double>& values) {
  const int64_t count = static_cast<int64_t>(values.size());
  Tensor part = PartOf<T>(tensor, first, count);
  CheckOk(__FILE__, __LINE__, "write", Gpu()->CopyFromHost(MakeTensor<T>(Shape{count}, values),
                                                           &part));
}

template <typename T>
void ExpectAt(const Tensor& tensor, int64_t first, const std::vector<double>& values) {
  const int64_t count = static_cast<int64_t>(values.size());
  Tensor back = *Tensor::Allocate(CpuAllocator(), tensor.dtype(), Shape{count});
  CheckOk(__FILE__, __LINE__, "read", Gpu()->CopyToHost(PartOf<T>(tensor, first, count), &back));
  for (int64_t i = 0; i < count; ++i) {
    const double value = static_cast<double>(back.data<T>()[i]);
    if (std::fabs(value - values[static_cast<size_t>(i)]) < 1e-2) continue;
    Fail(__FILE__, __LINE__, StrCat("element ", first + i, " is ", value, ", expected ",
                                    values[static_cast<size_t>(i)]));
  }
}

// A tensor that lies where the kernel wants it, or what a variable holds, which it gives away.
struct Argument {
  Argument(Tensor value) : tensor(std::move(value)) {}
  Argument(Tensor* value) : tensor(std::move(*value)), is_variable(true) { *value = Tensor(); }
  Tensor tensor;
  bool is_variable = false;
};

// The outputs of an op; of a reference what its variable holds.
std::vector<Tensor> RunLarge(const std::string& op, std::vector<Argument> arguments,
                             AttrMap attrs = {}) {
  Graph graph;
  NodeSpec spec{"op", op, {}, {}, std::move(attrs), ""};
  std::vector<Variable> variables(arguments.size());
  std::vector<Entry> inputs(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    Tensor& tensor = arguments[i].tensor;
    const AttrMap source_attrs{{"dtype", tensor.dtype()}, {"shape", PartialShape(tensor.shape())}};
    const char* source = arguments[i].is_variable ? "VariableV2" : "Placeholder";
    spec.inputs.push_back(
        {*graph.AddNode({StrCat("input", i), source, {}, {}, source_attrs, ""}), 0});
    if (!arguments[i].is_variable) {
      inputs[i].value = tensor;
      continue;
    }
    variables[i].value = std::exchange(tensor, Tensor());  // nobody else may hold it
    variables[i].device = Gpu();
    inputs[i].variable = &variables[i];
  }
  const Result<Node*> node = graph.AddNode(std::move(spec));
  CheckOk(__FILE__, __LINE__, op.c_str(), node);
  const KernelRegistration* registration =
      *KernelRegistry::Global().Find(**node, DeviceType::kGpu);
  const std::unique_ptr<OpKernel> kernel = registration->make();
  ResourceManager resources;
  CheckOk(__FILE__, __LINE__, op.c_str(), kernel->Init({**node, Gpu(), &resources}));
  const size_t count = static_cast<size_t>((*node)->num_outputs());
  std::vector<Entry> outputs(count);
  const bool on_device[8] = {};
  const std::vector<bool> on_host = InputsOnHost(*registration, **node);
  const auto flags = std::make_unique<bool[]>(on_host.size() + 1);
  std::copy(on_host.begin(), on_host.end(), flags.get());
  const std::vector<Entry*> pointers = EntryPointers(&inputs);
  OpKernelContext context({*node, Gpu(), pointers.data(), outputs.data(), flags.get(), on_device});
  CheckOk(__FILE__, __LINE__, op.c_str(), kernel->Compute(&context));
  CheckOk(__FILE__, __LINE__, op.c_str(), Gpu()->Synchronize());
  std::vector<Tensor> results;
  for (const Entry& output : outputs) {
    results.push_back(output.variable == nullptr ? output.value : output.variable->value);
  }
  return results;
}

Tensor Scalar32(int32_t value) { return Tensor::Scalar<int32_t>(value); }

// The indices 1, 0, 1, 0, ... and then `last`.
Tensor Indices(int64_t count, int32_t last) {
  std::vector<int32_t> indices(static_cast<size_t>(count));
  for (size_t i = 0; i < indices.size(); ++i) indices[i] = i % 2 == 0 ? 1 : 0;
  indices.back() = last;
  return OnGpu(Tensor::Vector(indices));
}

TEST(Large, Unary) {
  SKIP_UNLESS_LARGE();
  const Tensor x = OnGpu(DType::kBool, Shape{kBorder + 99});
  Write<bool>(x, kBorder + 90, {1, 0, 1, 1, 0, 0, 1, 0, 1});
  Write<bool>(x, kBorder - 2, {1, 0, 1});
  const Tensor y = RunLarge("LogicalNot", {{x}})[0];
  ExpectAt<bool>(y, kBorder + 90, {0, 1, 0, 0, 1, 1, 0, 1, 0});
  ExpectAt<bool>(y, kBorder - 2, {0, 1, 0});
}

TEST(Large, BroadcastColumn) {
  SKIP_UNLESS_LARGE();
  const Tensor x = OnGpu(DType::kBool, Shape{kRows, kColumns});
  const Tensor y = OnGpu(DType::kBool, Shape{kRows, 1});
  Write<bool>(x, kLast - 3, {1, 0, 1, 1});
  Write<bool>(y, kRows - 1, {1});
  ExpectAt<bool>(RunLarge("LogicalAnd", {{x}, {y}})[0], kLast - 3, {1, 0, 1, 1});
}

TEST(Large, BroadcastRow) {
  SKIP_UNLESS_LARGE();
  const Tensor x = OnGpu(DType::kBool, Shape{kRows, kColumns});
  const Tensor y = OnGpu(DType::kBool, Shape{kColumns});
  Write<bool>(x, kLast - 3, {1, 0, 1, 1});
  Write<bool>(y, kColumns - 4, {0, 1, 1, 1});
  ExpectAt<bool>(RunLarge("LogicalAnd", {{y}, {x}})[0], kLast - 3, {0, 0, 1, 1});
}

TEST(Large, Cast) {
  SKIP_UNLESS_LARGE();
  const Tensor x = OnGpu(DType::kUint8, Shape{kBorder + 99});
  Write<uint8_t>(x, kBorder + 96, {3, 0, 255});
  const Tensor y = RunLarge("Cast", {{x}}, {{"DstT", DType::kBool}})[0];
  ExpectAt<bool>(y, kBorder + 96, {1, 0, 1});
}

TEST(Large, AddN) {
  SKIP_UNLESS_LARGE();
  const Tensor x = OnGpu(DType::kHalf, Shape{kBorder + 99});
  const Tensor y = OnGpu(DType::kHalf, Shape{kBorder + 99});
  Write<Half>(x, kBorder + 96, {3, 4, 5});
  Write<Half>(y, kBorder + 96, {10, 20, 30});
  const Tensor z = RunLarge("AddN", {{x}, {y}}, {{"N", int64_t{2}}})[0];
  ExpectAt<Half>(z, kBorder + 96, {13, 24, 35});
}

TEST(Large, Select) {
  SKIP_UNLESS_LARGE();
  const Shape shape{kRows, kColumns};
  const Tensor condition = OnGpu(DType::kBool, Shape{kRows, 1});
  const Tensor yes = OnGpu(DType::kBool, shape);
  const Tensor no = OnGpu(DType::kBool, Shape{kColumns});
  Write<bool>(condition, kRows - 2, {0, 1});
  Write<bool>(yes, kLast - 2, {1, 0, 1});
  Write<bool>(no, kColumns - 3, {1, 1, 0});
  const Tensor chosen = RunLarge("SelectV2", {{condition}, {yes}, {no}})[0];
  ExpectAt<bool>(chosen, kLast - 2, {1, 0, 1});
  ExpectAt<bool>(chosen, kLast - kColumns - 2, {1, 1, 0});
}

TEST(Large, Gather) {
  SKIP_UNLESS_LARGE();
  const Tensor params = OnGpu(DType::kUint8, Shape{kRows, kColumns});
  Write<uint8_t>(params, kLast - 2, {1, 2, 3});
  const Tensor rows = RunLarge("GatherV2", {{params}, {Indices(kRows, kRows - 1)}, {Scalar32(0)}})[0];
  ExpectAt<uint8_t>(rows, kLast - 2, {1, 2, 3});
  Write<uint8_t>(params, kLast - kColumns + 1, {4, 5});
  const Tensor columns = RunLarge("GatherV2", {{params}, {Indices(kColumns, 1)}, {Scalar32(1)}})[0];
  ExpectAt<uint8_t>(columns, kLast - 2, {5, 4, 5});
}

TEST(Large, OneHot) {
  SKIP_UNLESS_LARGE();
  const Tensor on = OnGpu(Tensor::Scalar<uint8_t>(7));
  const Tensor off = OnGpu(Tensor::Scalar<uint8_t>(9));
  const Tensor indices = Indices(kRows, static_cast<int32_t>(kColumns) - 2);
  const Tensor hot = RunLarge("OneHot", {{indices}, {Scalar32(kColumns)}, {on}, {off}})[0];
  ExpectAt<uint8_t>(hot, kLast - 2, {9, 7, 9});
}

TEST(Large, Transpose) {
  SKIP_UNLESS_LARGE();
  const Tensor x = OnGpu(DType::kUint8, Shape{kRows, kColumns});
  Write<uint8_t>(x, kLast - 2, {1, 2, 3});
  Write<uint8_t>(x, kLast - kColumns, {4});
  const Tensor perm = Tensor::Vector(std::vector<int32_t>{1, 0});
  const Tensor y = RunLarge("Transpose", {{x}, {perm}})[0];
  ExpectAt<uint8_t>(y, kLast - 1, {4, 3});
  ExpectAt<uint8_t>(y, kLast - kRows, {2});
}

TEST(Large, StridedCopy) {
  SKIP_UNLESS_LARGE();
  const Tensor x = OnGpu(DType::kUint8, Shape{kRows, kColumns});
  Write<uint8_t>(x, kLast - 2, {1, 2, 3});
  Write<uint8_t>(x, 0, {4, 5, 6});
  const Tensor axis = Tensor::Vector(std::vector<int32_t>{0, 1});
  const Tensor y = RunLarge("ReverseV2", {{x}, {axis}})[0];
  ExpectAt<uint8_t>(y, kLast - 2, {6, 5, 4});
  ExpectAt<uint8_t>(y, 0, {3, 2, 1});
}

TEST(Large, LongRows) {
  SKIP_UNLESS_LARGE();
  const int64_t columns = kBorder + 9;
  const Tensor x = OnGpu(DType::kUint8, Shape{2, columns});
  Write<uint8_t>(x, 2 * columns - 2, {1, 2});
  Write<uint8_t>(x, columns - 2, {3, 4, 5});
  Write<uint8_t>(x, 0, {6, 7});
  const Tensor axis = Tensor::Vector(std::vector<int32_t>{0, 1});
  const Tensor y = RunLarge("ReverseV2", {{x}, {axis}})[0];
  ExpectAt<uint8_t>(y, 0, {2, 1});
  ExpectAt<uint8_t>(y, 2 * columns - 2, {7, 6});
}

TEST(Large, ManyRows) {
  SKIP_UNLESS_LARGE();
  const int64_t rows = kBorder + 9;
  const Tensor x = OnGpu(DType::kUint8, Shape{rows, 2});
  Write<uint8_t>(x, 0, {6, 7});
  Write<uint8_t>(x, 2 * rows - 2, {1, 2});
  const Tensor axis = Tensor::Vector(std::vector<int32_t>{1});
  const Tensor y = RunLarge("ReverseV2", {{x}, {axis}})[0];
  ExpectAt<uint8_t>(y, 0, {7, 6});
  ExpectAt<uint8_t>(y, 2 * rows - 2, {2, 1});
}

TEST(Large, Fill) {
  SKIP_UNLESS_LARGE();
  const Tensor dims = Tensor::Vector(std::vector<int32_t>{kRows, kColumns});
  const Tensor y = RunLarge("Fill", {{dims}, {OnGpu(Tensor::Scalar<uint8_t>(7))}})[0];
  ExpectAt<uint8_t>(y, kLast - 2, {7, 7, 7});
}

TEST(Large, ReduceToRows) {
  SKIP_UNLESS_LARGE();
  const Tensor x = OnGpu(DType::kBool, Shape{kBorder + 9, 2});
  Write<bool>(x, 2 * (kBorder + 9) - 6, {1, 1, 0, 1, 1, 1});
  const Tensor y = RunLarge("All", {{x}, {Tensor::Vector(std::vector<int32_t>{1})}})[0];
  ExpectAt<bool>(y, kBorder + 6, {1, 0, 1});
}

TEST(Large, ReduceToColumns) {
  SKIP_UNLESS_LARGE();
  // The last columns are the first block's, in its 129th round.
  const Tensor x = OnGpu(DType::kBool, Shape{2, kBorder + 9});
  Write<bool>(x, kBorder + 6, {1, 1, 0});
  Write<bool>(x, 2 * (kBorder + 9) - 3, {1, 0, 1});
  const Tensor y = RunLarge("All", {{x}, {Tensor::Vector(std::vector<int32_t>{0})}})[0];
  ExpectAt<bool>(y, kBorder + 6, {1, 0, 0});
}

TEST(Large, ReduceToOne) {
  SKIP_UNLESS_LARGE();
  // All of it is read: half as much.
  const int64_t count = kBorder / 2 + 9;
  const Tensor x = OnGpu(DType::kBool, Shape{count});
  const std::vector<double> zeros(kEnds, 0);
  Write<bool>(x, 0, zeros);
  Write<bool>(x, count - kEnds, zeros);
  const Tensor axis = Tensor::Vector(std::vector<int32_t>{0});
  ExpectAt<bool>(RunLarge("Any", {{x}, {axis}})[0], 0, {0});
  Write<bool>(x, count - 1, {1});
  ExpectAt<bool>(RunLarge("Any", {{x}, {axis}})[0], 0, {1});
}

TEST(Large, ArgMax) {
  SKIP_UNLESS_LARGE();
  const Tensor x = OnGpu(DType::kHalf, Shape{kBorder + 9, 2});
  Write<Half>(x, 2 * (kBorder + 9) - 4, {1, 2, 4, 3});
  const Tensor y = RunLarge("ArgMax", {{x}, {Scalar32(1)}}, {{"output_type", DType::kInt32}})[0];
  ExpectAt<int32_t>(y, kBorder + 7, {1, 0});
}

TEST(Large, Softmax) {
  SKIP_UNLESS_LARGE();
  const Tensor x = OnGpu(DType::kHalf, Shape{kBorder / 2 + 9, 2});
  Write<Half>(x, kBorder + 14, {1, 1, -60, 3});
  ExpectAt<Half>(RunLarge("Softmax", {{x}})[0], kBorder + 14, {0.5, 0.5, 0, 1});
}

TEST(Large, SparseCrossEntropy) {
  SKIP_UNLESS_LARGE();
  const int64_t rows = kBorder / 2 + 9;
  const Tensor x = OnGpu(DType::kHalf, Shape{rows, 2});
  const Tensor labels = OnGpu(DType::kInt32, Shape{rows});
  Write<Half>(x, 2 * rows - 2, {-60, 3});
  Write<int32_t>(labels, rows - 1, {1});
  const auto outputs = RunLarge("SparseSoftmaxCrossEntropyWithLogits", {{x}, {labels}});
  ExpectAt<Half>(outputs[0], rows - 1, {0});
  ExpectAt<Half>(outputs[1], 2 * rows - 2, {0, 0});
}

AttrMap PoolAttrs(const char* padding) {
  return {{"ksize", std::vector<int64_t>{1, 2, 2, 1}}, {"strides", std::vector<int64_t>{1, 1, 1, 1}},
          {"padding", std::string(padding)}};
}

TEST(Large, Pooling) {
  SKIP_UNLESS_LARGE();
  const Shape shape{1, kRows, kColumns, 1};
  const Tensor x = OnGpu(DType::kHalf, shape);
  Write<Half>(x, kLast - 1, {2, 8});
  Write<Half>(x, kLast - kColumns - 1, {6, 4});
  const Tensor largest = RunLarge("MaxPool", {{x}}, PoolAttrs("SAME"))[0];
  ExpectAt<Half>(largest, kLast - 1, {8, 8});
  ExpectAt<Half>(RunLarge("AvgPool", {{x}}, PoolAttrs("SAME"))[0], kLast - 1, {5, 8});
  const Tensor gradient = OnGpu(DType::kHalf, shape);
  Write<Half>(gradient, kLast - 1, {3, 5});
  Write<Half>(gradient, kLast - kColumns - 1, {0, 0});
  const auto back = RunLarge("MaxPoolGrad", {{x}, {largest}, {gradient}}, PoolAttrs("SAME"));
  ExpectAt<Half>(back[0], kLast - 1, {0, 8});
}

TEST(Large, SegmentSum) {
  SKIP_UNLESS_LARGE();
  const Tensor data = OnGpu(DType::kFloat, Shape{kRows, kColumns});
  Write<float>(data, kLast - 1, {2, 8});
  const Tensor ids = Indices(kRows, static_cast<int32_t>(kRows) - 1);
  const Tensor sums = RunLarge("UnsortedSegmentSum", {{data}, {ids}, {Scalar32(kRows)}})[0];
  ExpectAt<float>(sums, kLast - 1, {2, 8});
}

TEST(Large, Optimiser) {
  SKIP_UNLESS_LARGE();
  Tensor variable = OnGpu(DType::kHalf, Shape{kBorder + 99});
  const Tensor gradient = OnGpu(DType::kHalf, Shape{kBorder + 99});
  const Tensor rate = OnGpu(MakeTensor<Half>(Shape{}, {0.5}));
  Write<Half>(variable, kBorder + 97, {1, 2});
  Write<Half>(gradient, kBorder + 97, {4, 8});
  const auto after = RunLarge("ApplyGradientDescent", {{&variable}, {rate}, {gradient}});
  ExpectAt<Half>(after[0], kBorder + 97, {-1, -2});
}

TEST(Large, Random) {
  SKIP_UNLESS_LARGE();
  const Tensor dims = Tensor::Vector(std::vector<int32_t>{kRows, kColumns});
  const AttrMap attrs{{"dtype", DType::kHalf}, {"seed", int64_t{1}}, {"seed2", int64_t{2}}};
  const Tensor y = RunLarge("RandomUniform", {{dims}}, attrs)[0];
  Tensor back = *Tensor::Allocate(CpuAllocator(), DType::kHalf, Shape{64});
  ASSERT_OK(Gpu()->CopyToHost(PartOf<Half>(y, kLast - 63, 64), &back));
  for (int64_t i = 0; i < 64; ++i) {
    const float value = back.data<Half>()[i];
    EXPECT_TRUE(value >= 0 && value < 1);
  }
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
