#include "testing/op_test.h"
#include "testing/random_values.h"

namespace tfbuild {
namespace testing {
namespace {

const char kBelowNormal[] = "what is below the normal numbers of float may be 0";

// Softmax of each row of n numbers, or its logarithm, in more than double.
std::vector<double> Reference(const std::vector<double>& logits, size_t n, bool log) {
  std::vector<double> result;
  for (size_t row = 0; row < logits.size(); row += n) {
    double max = logits[row];
    for (size_t i = 0; i < n; ++i) max = std::max(max, logits[row + i]);
    long double sum = 0;
    for (size_t i = 0; i < n; ++i) sum += std::exp(static_cast<long double>(logits[row + i]) - max);
    for (size_t i = 0; i < n; ++i) {
      const long double shifted = static_cast<long double>(logits[row + i]) - max;
      result.push_back(
          static_cast<double>(log ? shifted - std::log(sum) : std::exp(shifted) / sum));
    }
  }
  return result;
}

template <typename T>
void CheckValues(const Shape& shape, const std::vector<double>& values, double ulps,
                 double slack = 1.2e-38) {
  const Tensor logits = MakeTensor<T>(shape, values);
  const size_t n = static_cast<size_t>(shape.dim(shape.rank() - 1));
  for (const bool log : {false, true}) {
    OpTest(log ? "LogSoftmax" : "Softmax")
        .Input(logits)
        .Expect(MakeTensor<T>(shape, Reference(Values(logits), n, log)))
        .Within(Slack(slack, kBelowNormal, ulps))
        .Run();
  }
}

template <typename T>
void Check(const Shape& shape, double scale, double ulps, double slack = 1.2e-38) {
  std::vector<double> values = RandomValues(shape.num_elements(), 7);
  for (double& value : values) value *= scale;
  CheckValues<T>(shape, values, ulps, slack);
}

TEST(Softmax, Float) {
  Check<float>({3, 5}, 2, 3);
  Check<float>({2, 3, 1}, 2, 3);
  Check<float>({7}, 30, 3);
  Check<float>({300, 1000}, 80, 3);
  for (const int64_t columns : {1024, 1025, 4097}) Check<float>({7, columns}, 30, 3);
}
// The CPU takes the logarithm of a sum that may be 1 and little.
TEST(Softmax, Double) { Check<double>({20, 33}, 50, 60, 1e-15); }
TEST(Softmax, Half) { Check<Half>({20, 33}, 4, 1); }
TEST(Softmax, BFloat16) { Check<BFloat16>({20, 33}, 4, 1); }

// Around the sizes at which a GPU takes packs of 2, 4 and 8 elements, more threads, and a block.
TEST(Softmax, RowsOfManySizes) {
  for (int64_t size = 1; size <= 2048; size *= 2) {
    for (const int64_t columns : {size - 1, size, size + 1}) {
      if (columns == 0) continue;
      Check<float>({3, columns}, 4, 3);
      Check<double>({3, columns}, 4, 60, 1e-15);
      Check<Half>({3, columns}, 4, 1);
      Check<BFloat16>({3, columns}, 4, 1);
    }
  }
}

// The largest number that was seen changes with each element, once, or behind many that are nothing.
TEST(Softmax, OrderedRows) {
  for (const int64_t columns : {8, 33, 1000, 1001, 4096, 4097}) {
    const size_t n = static_cast<size_t>(columns);
    std::vector<double> ascending(n), beside_nothing(n, -INFINITY);
    for (size_t i = 0; i < n; ++i) ascending[i] = static_cast<double>(i) * 40 / static_cast<double>(n);
    std::copy(ascending.begin() + columns / 2, ascending.end(), beside_nothing.begin() + columns / 2);
    for (const std::vector<double>& values : {ascending, beside_nothing}) {
      CheckValues<float>({1, columns}, values, 3);
      CheckValues<float>({1, columns}, std::vector<double>(values.rbegin(), values.rend()), 3);
    }
  }
}

TEST(Softmax, LargeAndInfiniteLogits) {
  OpTest("Softmax")
      .Input(MakeTensor<float>({2, 2}, {1e30, 1e30, -INFINITY, 3}))
      .Expect(MakeTensor<float>({2, 2}, {0.5, 0.5, 0, 1}))
      .Run();
}

TEST(Softmax, NaNSpreadsOverItsRow) {
  OpTest("Softmax")
      .Input(MakeTensor<double>({2, 2}, {NAN, 1, 2, 2}))
      .Expect(MakeTensor<double>({2, 2}, {NAN, NAN, 0.5, 0.5}))
      .Run();
}

// As TensorFlow's float kernel for the CPU; those for other types and GPUs give NaN throughout.
TEST(Softmax, FloatsBesideInfinityOrNaNAreZeroOnTheCpu) {
  OpTest test("Softmax");
  const double kInf = INFINITY;
  test.Input(MakeTensor<float>({4, 2}, {1, kInf, NAN, 1, -kInf, -kInf, 2, 2}));
  const Result<std::vector<Tensor>> outputs = test.RunOnCpu();
  ASSERT_OK(outputs);
  ExpectClose((*outputs)[0], MakeTensor<float>({4, 2}, {0, NAN, NAN, 0, NAN, NAN, 0.5, 0.5}),
              Ulps(0));
}

TEST(Softmax, Empty) {
  OpTest("Softmax")
      .Input(MakeTensor<float>({0, 3}, {}))
      .Expect(MakeTensor<float>({0, 3}, {}))
      .Run();
  OpTest("Softmax")
      .Input(MakeTensor<float>({3, 0}, {}))
      .Expect(MakeTensor<float>({3, 0}, {}))
      .Run();
}

TEST(Softmax, RejectsScalar) {
  OpTest("Softmax")
      .Input(MakeTensor<float>(Shape{}, {1}))
      .RunExpectingError(Code::kInvalidArgument, "rank 1");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
