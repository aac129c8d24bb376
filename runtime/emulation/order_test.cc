// Whether the order in which a GPU's threads come shows in the results: never with
// TF_DETERMINISTIC_OPS=1, and in sums of floating numbers otherwise, or nothing is tested here.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <set>

#include "tensor/device.h"
#include "testing/random_values.h"
#include "testing/variable_op_test.h"

namespace tfbuild {
namespace testing {
namespace {

constexpr int kRuns = 6;
constexpr int64_t kRows = 300;
constexpr int64_t kColumns = 3;

bool OneResultIsWanted() {
  const char* text = std::getenv("TF_DETERMINISTIC_OPS");
  return text != nullptr && std::string(text) == "1";
}

// Numbers of many magnitudes, so that each order of additions has a sum of its own.
template <typename T>
Tensor Addends(const Shape& shape) {
  std::vector<double> values = RandomValues(shape.num_elements(), 11);
  const std::vector<double> powers = RandomIntegers(shape.num_elements(), 12, 6);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = std::ldexp(values[i] / 3, static_cast<int>(powers[i]));  // with all of double's bits
  }
  return MakeTensor<T>(shape, values);
}

// Numbers near 1, so that a product of many is far from 0 and from infinity, where all orders agree.
Tensor Factors(const Shape& shape) {
  std::vector<double> values = RandomValues(shape.num_elements(), 13);
  for (double& value : values) value = std::exp2(value / 8);
  return MakeTensor<float>(shape, values);
}

// Each of five rows is named often.
Tensor Names(const Shape& shape) {
  std::vector<int32_t> names;
  for (int64_t i = 0; i < shape.num_elements(); ++i) names.push_back(static_cast<int32_t>(i * 7 % 5));
  Tensor tensor = *Tensor::Allocate(CpuAllocator(), DType::kInt32, shape);
  std::memcpy(tensor.mutable_data<int32_t>(), names.data(), names.size() * sizeof(int32_t));
  return tensor;
}

using Run = std::function<Result<std::vector<Tensor>>(Device* device)>;

// How many different results so many runs have.
size_t CountResults(Device* device, const Run& run) {
  std::set<std::string> results;
  for (int i = 0; i < kRuns; ++i) {
    const Result<std::vector<Tensor>> outputs = run(device);
    EXPECT_TRUE(outputs.ok());
    if (!outputs.ok()) return 0;
    std::string bytes;
    for (const Tensor& output : *outputs) bytes.append(output.data<char>(), output.num_bytes());
    results.insert(bytes);
  }
  return results.size();
}

// With `sums_of_any_order`, those of an op whose additions come in any order unless one is wanted.
void Check(const Run& run, bool sums_of_any_order) {
  bool was_there = false;
  size_t most = 0;
  for (Device* device : LocalDevices()) {
    if (device->type() != DeviceType::kGpu) continue;
    was_there = true;
    const size_t results = CountResults(device, run);
    if (OneResultIsWanted() || !sums_of_any_order) EXPECT_EQ(results, size_t{1});
    most = std::max(most, results);
  }
  if (!was_there) SKIP_TEST(GpuStatus().message());
  if (!OneResultIsWanted() && sums_of_any_order) EXPECT_TRUE(most > 1);
}

template <typename T>
void ChecksSegments() {
  const Tensor rows = Addends<T>({kRows, kColumns});
  OpTest test("UnsortedSegmentSum");
  test.Input(rows).Input(Names({kRows})).Input(Tensor::Scalar<int32_t>(5));
  Check([&](Device* device) { return test.RunOn(device); }, true);
}

template <typename T>
void ChecksSlices() {
  OpTest test("ScatterNd");
  test.Input(Names({kRows, 1})).Input(Addends<T>({kRows, kColumns}));
  test.Input(MakeTensor<int32_t>({2}, {5, kColumns}));
  Check([&](Device* device) { return test.RunOn(device); }, true);
}

void ChecksUpdates(const std::string& op, const Tensor& updates, bool sums_of_any_order) {
  VariableOpTest test(op);
  test.Variable(Addends<float>({5, kColumns}));
  test.Input(Names({kRows})).Input(updates);
  Check([&](Device* device) { return test.RunOn(device); }, sums_of_any_order);
}
void ChecksUpdates(const std::string& op, bool sums_of_any_order) {
  ChecksUpdates(op, Addends<float>({kRows, kColumns}), sums_of_any_order);
}

TEST(Order, OfSegmentsOfFloat) { ChecksSegments<float>(); }
TEST(Order, OfSegmentsOfDouble) { ChecksSegments<double>(); }
TEST(Order, OfSlicesOfFloat) { ChecksSlices<float>(); }
TEST(Order, OfSlicesOfDouble) { ChecksSlices<double>(); }
TEST(Order, OfScatteredSums) { ChecksUpdates("ScatterAdd", true); }
TEST(Order, OfScatteredDifferences) { ChecksUpdates("ScatterSub", true); }
TEST(Order, OfScatteredProducts) {
  ChecksUpdates("ScatterMul", Factors({kRows, kColumns}), true);
}
TEST(Order, OfScatteredRows) { ChecksUpdates("ScatterUpdate", false); }

TEST(Order, OfSparseTraining) {
  VariableOpTest test("SparseApplyAdagrad");
  test.Variable(Addends<float>({5, kColumns}));
  test.Variable(MakeTensor<float>({5, kColumns}, std::vector<double>(5 * kColumns, 0.5)));
  test.Input(MakeTensor<float>(Shape{}, {0.1}));
  test.Input(Addends<float>({kRows, kColumns})).Input(Names({kRows}));
  Check([&](Device* device) { return test.RunOn(device); }, false);
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
