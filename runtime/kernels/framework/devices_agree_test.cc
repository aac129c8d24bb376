// Every op that has a CUDA kernel, with each of the types that it has one for: its answers are those
// of the CPU, for sizes around each boundary of the kernels.
#include <cmath>
#include <map>

#include "testing/op_test.h"
#include "testing/random_values.h"

namespace tfbuild {
namespace testing {
namespace {

// A warp, a block and the columns from which on a block shares a row, and their neighbours; lengths
// of which no vector of any type is made; nothing.
const std::vector<std::vector<int64_t>> kShapes = {
    {1},      {31},      {33},      {255},     {257},     {0},       {3, 1},    {2, 31},
    {2, 32},  {5, 33},   {3, 257},  {2, 1023}, {2, 1024}, {2, 1025}, {1025, 2}, {33, 33},
    {64, 65}, {2, 4097}, {300, 17}, {0, 3},    {3, 0},    {3, 5, 1}, {2, 33, 33}};

// Ops whose inputs are not what RandomInput makes, and whose own tests have the sizes.
const std::map<std::string, std::string> kElsewhere = {
    {"AvgPool", "windows"}, {"AvgPoolGrad", "windows"}, {"Conv2D", "windows"},
    {"Conv2DBackpropFilter", "windows"}, {"Conv2DBackpropInput", "windows"},
    {"AvgPool3D", "windows"}, {"AvgPool3DGrad", "windows"}, {"Conv3D", "windows"},
    {"Conv3DBackpropFilterV2", "windows"}, {"Conv3DBackpropInputV2", "windows"},
    {"MaxPool3D", "windows"}, {"MaxPool3DGrad", "windows"},
    {"DepthwiseConv2dNative", "windows"}, {"DepthwiseConv2dNativeBackpropFilter", "windows"},
    {"DepthwiseConv2dNativeBackpropInput", "windows"},
    {"LRN", "rank 4"}, {"LRNGrad", "rank 4"}, {"ResizeBilinear", "rank 4"},
    {"ResizeBilinearGrad", "rank 4"}, {"ResizeNearestNeighbor", "rank 4"},
    {"ResizeNearestNeighborGrad", "rank 4"},
    {"Cumprod", "an order of products may overflow where another does not"},
    {"Diag", "the square of its input"}, {"MatrixDiag", "the square of its rows"},
    {"MatrixSetDiag", "a matrix and its diagonal"},
    {"FusedBatchNorm", "rank 4"}, {"FusedBatchNormV2", "rank 4"}, {"FusedBatchNormV3", "rank 4"},
    {"FusedBatchNormGrad", "rank 4"}, {"FusedBatchNormGradV2", "rank 4"},
    {"FusedBatchNormGradV3", "rank 4"},
    {"GatherNd", "rows of coordinates"}, {"ScatterNd", "rows of coordinates"},
    {"MaxPool", "windows"}, {"MaxPoolGrad", "windows"},
    {"_ElementwiseChain", "programs"}, {"_FusedMatMul", "no CPU has it"},
    {"_FusedConv2D", "no CPU has it"},
    {"RandomStandardNormal", "its numbers are compared with TensorFlow's"},
    {"RandomUniform", "its numbers are compared with TensorFlow's"},
    {"RandomUniformInt", "its numbers are compared with TensorFlow's"},
    {"TruncatedNormal", "its numbers are compared with TensorFlow's"},
};

bool IsInteger(DType dtype) { return !IsFloating(dtype) && dtype != DType::kBool; }

// The same values whatever the type is; whole numbers are small and never 0, indices name a row.
Tensor RandomInput(DType dtype, const Shape& shape, bool is_index, uint64_t seed) {
  std::vector<double> values = RandomValues(shape.num_elements(), seed);
  for (double& value : values) {
    if (is_index) value = value > 0 ? 1 : 0;
    else if (IsInteger(dtype)) value = std::floor(value * 4) * 2 + 1;
    else if (dtype == DType::kBool) value = value > 0 ? 1 : 0;
    else value *= 3;
  }
  switch (dtype) {
#define CASE(T) \
  case DTypeOf<T>::value: return MakeTensor<T>(shape, values);
    TFBUILD_NUMBER_TYPES(CASE)
    CASE(bool)
#undef CASE
    default: return Tensor();
  }
}

struct Question {
  const OpDef* op;
  AttrMap attrs;
  const KernelRegistration* kernel;
};

DType TypeOf(const Question& question, const ArgDef& arg) {
  if (arg.type_attr.empty()) return arg.type;
  const auto found = question.attrs.find(arg.type_attr);
  if (found != question.attrs.end()) return *GetAttr<DType>(question.attrs, arg.type_attr);
  const AttrDef* attr = question.op->FindAttr(arg.type_attr);
  if (attr->default_value) return std::get<DType>(*attr->default_value);
  return attr->allowed_types.empty() ? DType::kFloat : attr->allowed_types[0];
}

// The op with random inputs of that shape; what stays on the host is `number`, an axis or a depth.
OpTest Ask(const Question& question, const Shape& shape, int64_t number) {
  OpTest test(question.op->name);
  AttrMap attrs = question.attrs;
  uint64_t seed = 1;
  for (const ArgDef& arg : question.op->inputs) {
    const DType dtype = TypeOf(question, arg);
    if (!arg.type_attr.empty()) attrs.emplace(arg.type_attr, dtype);
    if (question.kernel->kernel.OnHost(arg.name)) {
      test.Input(dtype == DType::kInt64 ? Tensor::Scalar<int64_t>(number)
                                        : Tensor::Scalar<int32_t>(static_cast<int32_t>(number)));
      continue;
    }
    if (!arg.number_attr.empty()) attrs[arg.number_attr] = int64_t{3};
    const bool is_index = arg.name == "indices" || arg.name == "labels" ||
                          arg.name == "segment_ids";
    // The labels of sparse losses and the numbers of rows have a dimension less.
    std::vector<int64_t> dims = shape.dims();
    if (is_index && IsInteger(dtype) && dims.size() > 1) dims.resize(1);
    const bool is_scalar = arg.name == "on_value" || arg.name == "off_value";
    const bool is_bias = arg.name == "bias";
    if (is_scalar) dims.clear();
    if (is_bias && !dims.empty()) dims.erase(dims.begin(), dims.end() - 1);
    const Shape own = *Shape::Make(dims);
    for (int64_t i = 0; i < (arg.number_attr.empty() ? 1 : 3); ++i) {
      test.Input(RandomInput(dtype, own, is_index && IsInteger(dtype), seed++));
    }
  }
  for (auto& [name, value] : attrs) test.Attr(name, value);
  return test;
}

// What may stay on the host of these ops: an axis, a depth, a number of segments.
std::vector<int64_t> NumbersOf(const Question& question) {
  for (const ArgDef& arg : question.op->inputs) {
    if (question.kernel->kernel.OnHost(arg.name)) return {0, 1, 2};
  }
  return {0};
}

bool TakesTensors(const OpDef& op) {
  for (const ArgDef& arg : op.inputs) {
    const bool plain = arg.type_list_attr.empty() && !arg.is_ref && arg.type != DType::kResource;
    if (!plain) return false;
  }
  return !op.inputs.empty();
}

// How far two orders of the same additions, or multiplications, may lead apart.
Closeness ClosenessOf(const std::string& op, DType dtype) {
  if (op == "Prod") return Ulps(500);
  // The CPU adds floats in double, and doubles one by one.
  if (dtype == DType::kDouble) return Slack(1e-11, "sums of both signs", 64);
  const double slack = dtype == DType::kFloat ? 2000 * UnitInLastPlace(dtype, 1)
                                              : UnitInLastPlace(dtype, 4);
  return IsFloating(dtype) ? Slack(slack, "sums of both signs", 4) : Ulps(0);
}

// Compares all GPUs with the CPU; whether the CPU had an answer.
bool Agree(const Question& question, const Shape& shape, int64_t number) {
  OpTest test = Ask(question, shape, number);
  const Result<std::vector<Tensor>> expected = test.RunOnCpu();
  if (!expected.ok()) return false;
  for (const Tensor& tensor : *expected) test.Expect(tensor);
  test.Within(ClosenessOf(question.op->name, (*expected)[0].dtype())).Run();
  return true;
}

bool IsCuda(const KernelRegistration& registration) {
  const std::string file = registration.file;
  return (file.size() > 3 && file.compare(file.size() - 3, 3, ".cu") == 0) ||
         file.find("/cuda_") != std::string::npos;
}

TEST(DevicesAgree, OnEveryOpOfGpus) {
  if (LocalDevices().size() == 1) SKIP_TEST(GpuStatus().message());
  for (const auto& [name, registration] : KernelRegistry::Global().all()) {
    const OpDef* op = *OpRegistry::Global().Find(name);
    if (!IsCuda(registration) || !TakesTensors(*op) || kElsewhere.count(name) > 0) continue;
    Question question{op, {}, &registration};
    for (const auto& [attr, dtype] : registration.kernel.types()) question.attrs[attr] = dtype;
    int answers = 0;
    for (const std::vector<int64_t>& dims : kShapes) {
      for (const int64_t number : NumbersOf(question)) {
        answers += Agree(question, *Shape::Make(dims), number) ? 1 : 0;
      }
    }
    if (answers > 0) continue;
    Fail(__FILE__, __LINE__, StrCat(registration.kernel.Key(), ": the CPU never had an answer"));
  }
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
