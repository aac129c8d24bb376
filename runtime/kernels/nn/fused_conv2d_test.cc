// _FusedConv2D on GPUs: a convolution with what follows it has the numbers of the ops alone.
#include <cmath>
#include <limits>

#include "testing/kept_algorithm.h"
#include "testing/op_test.h"
#include "testing/random_values.h"

namespace tfbuild {
namespace testing {
namespace {

using Ints = std::vector<int64_t>;
using Ops = std::vector<std::string>;
const char kCancel[] = "terms of both signs cancel";

struct Case {
  Ops ops;
  Shape input = {2, 5, 6, 4};
  Shape filter = {3, 2, 4, 6};
  std::string padding = "SAME";
  Ints pads = {};
  int64_t stride = 1;
  bool last = true;  // channels; of an input, and its result, that lies otherwise

  bool has(const char* op) const { return std::find(ops.begin(), ops.end(), op) != ops.end(); }
  void Describe(OpTest* test) const {
    test->Attr("strides", last ? Ints{1, stride, stride, 1} : Ints{1, 1, stride, stride});
    test->Attr("padding", padding).Attr("data_format", std::string(last ? "NHWC" : "NCHW"));
    if (!pads.empty()) test->Attr("explicit_paddings", pads);
  }
};

template <typename T>
Tensor Draw(const Shape& shape, uint64_t seed) {
  return MakeTensor<T>(shape, RandomValues(shape.num_elements(), seed));
}

// The convolution by the CPU, in double.
Tensor Convolved(const Case& c, const Tensor& input, const Tensor& filter) {
  OpTest test("Conv2D");
  test.Input(MakeTensor<double>(input.shape(), Values(input)));
  test.Input(MakeTensor<double>(filter.shape(), Values(filter)));
  c.Describe(&test);
  const auto result = test.RunOnCpu();
  EXPECT_OK(result);
  return result.ok() ? (*result)[0] : Tensor();
}

// Pixels of images whose channels come first.
size_t AreaOf(const Shape& images) { return static_cast<size_t>(images.dim(2) * images.dim(3)); }

template <typename T>
void Check(const Case& c, double slack) {
  const Tensor input = Draw<T>(c.input, 1);
  const Tensor filter = Draw<T>(c.filter, 2);
  const Tensor convolved = Convolved(c, input, filter);
  std::vector<Tensor> args;
  if (c.has("BiasAdd")) args.push_back(Draw<T>({c.filter.dim(3)}, 3));
  if (c.has("Add")) args.push_back(Draw<T>(convolved.shape(), 4));
  std::vector<double> values = Values(convolved);
  for (const Tensor& arg : args) {
    const std::vector<double> more = Values(arg);
    const size_t area = arg.rank() > 1 || c.last ? 1 : AreaOf(convolved.shape());
    for (size_t i = 0; i < values.size(); ++i) values[i] += more[i / area % more.size()];
  }
  for (double& value : values) value = c.has("Relu") ? std::max(value, 0.0) : value;
  OpTest test("_FusedConv2D");
  test.Input(input).Input(filter);
  for (const Tensor& arg : args) test.Input(arg);
  c.Describe(&test);
  test.Attr("num_args", static_cast<int64_t>(args.size())).Attr("fused_ops", c.ops);
  test.Attr("T", input.dtype());
  for (Device* device : LocalDevices()) {
    if (device->type() != DeviceType::kGpu) continue;
    const auto result = test.RunOn(device);
    ASSERT_OK(result);
    ExpectClose((*result)[0], MakeTensor<T>(convolved.shape(), values), Slack(slack, kCancel, 4));
  }
}

std::vector<Case> Cases() {
  std::vector<Case> cases;
  // Without a bias there is no one call, and a filter of one pixel is a product of matrices.
  for (const Ops& ops : {Ops{"BiasAdd"}, Ops{"BiasAdd", "Relu"}, Ops{"BiasAdd", "Add", "Relu"},
                         Ops{"BiasAdd", "Add"}, Ops{"Relu"}, Ops{"Add", "Relu"}}) {
    cases.push_back({ops});
    cases.push_back({ops, {2, 5, 6, 4}, {1, 1, 4, 8}});
    cases.push_back({ops, {2, 5, 6, 4}, {1, 1, 4, 6}, "VALID", {}, 2});
  }
  cases.push_back({{"BiasAdd", "Relu"}, {1, 7, 9, 3}, {2, 3, 3, 5}, "EXPLICIT",
                   {0, 0, 2, 1, 0, 1, 0, 0}});
  cases.push_back({{"BiasAdd"}, {2, 6, 6, 4}, {3, 3, 2, 6}});  // two groups
  for (const Ops& ops : {Ops{"BiasAdd", "Relu"}, Ops{"BiasAdd", "Add"}, Ops{"Add"}}) {
    cases.push_back({ops, {2, 4, 5, 6}, {3, 2, 4, 6}, "SAME", {}, 1, false});
    cases.push_back({ops, {2, 4, 6, 6}, {1, 1, 4, 6}, "VALID", {}, 2, false});
    cases.push_back({ops, {2, 4, 5, 6}, {3, 3, 2, 6}, "SAME", {}, 1, false});  // two groups
  }
  // Nothing at all.
  cases.push_back({{"BiasAdd", "Relu"}, {0, 5, 6, 4}});
  return cases;
}

TEST(FusedConv2D, OfFloat) {
  for (const Case& c : Cases()) Check<float>(c, 1e-5);
}
TEST(FusedConv2D, OfHalf) {
  for (const Case& c : Cases()) Check<Half>(c, 4e-3);
}
TEST(FusedConv2D, OfBFloat16) {
  for (const Case& c : Cases()) Check<BFloat16>(c, 3e-2);
}

// As the op alone does: Relu of what is no number is no number.
TEST(FusedConv2D, KeepsWhatIsNoNumber) {
  const Shape shape{1, 3, 3, 2};
  const double none = std::numeric_limits<double>::quiet_NaN();
  for (Device* device : LocalDevices()) {
    if (device->type() != DeviceType::kGpu) continue;
    OpTest test("_FusedConv2D");
    test.Input(MakeTensor<Half>(shape, std::vector<double>(18, none)));
    test.Input(Draw<Half>({3, 3, 2, 4}, 1)).Input(Draw<Half>({4}, 2));
    Case({{"BiasAdd", "Relu"}}).Describe(&test);
    test.Attr("num_args", int64_t{1}).Attr("fused_ops", Ops{"BiasAdd", "Relu"});
    const auto result = test.Attr("T", DType::kHalf).RunOn(device);
    ASSERT_OK(result);
    for (const double value : Values((*result)[0])) EXPECT_TRUE(std::isnan(value));
  }
}

// The last that the emulation proposes: others want too much memory, fail, add in any order or are slow.
TEST(FusedConv2D, KeepsTheFastestAlgorithm) {
  if (!KeepsEmulatedAlgorithms()) SKIP_TEST("no emulated GPU that keeps its algorithms");
  if (std::getenv("TFBUILD_CUDNN_GRAPHS") != nullptr) SKIP_TEST("graphs are switched off");
  Check<Half>({{"BiasAdd", "Relu"}, {1, 4, 4, 3}, {3, 3, 3, 7}}, 4e-3);
  // Forward, half, channels last, one image, 3 and 7 channels, one group; by tensor cores.
  const std::string half = StrCat(static_cast<int>(DType::kHalf));
  EXPECT_EQ(KeptAlgorithm("convolution 0 " + half + " 1 1 3 7 1 1 0 1 "), "engine 7 2=3 14=4");
  // One with more rows than columns; what a graph cannot do would be kept as an algorithm of a function.
  Check<Half>({{"BiasAdd", "Relu"}, {1, 6, 4, 3}, {5, 3, 3, 8}}, 4e-3);
  EXPECT_EQ(KeptAlgorithm("convolution 0 " + half + " 1 1 3 8 1 1 0 1 "), "engine 7 2=3 14=4");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
