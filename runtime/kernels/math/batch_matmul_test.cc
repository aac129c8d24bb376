#include "testing/op_test.h"
#include "testing/random_values.h"

namespace tfbuild {
namespace testing {
namespace {

const char kCancel[] = "terms of both signs cancel";

// x of shape [2, 1, m, k] times y of shape [3, k, n]: every pair of matrices.
template <typename T>
void CheckOuter(int64_t m, int64_t k, int64_t n, double slack) {
  const Tensor x = MakeTensor<T>({2, 1, m, k}, RandomValues(2 * m * k, 1));
  const Tensor y = MakeTensor<T>({3, k, n}, RandomValues(3 * k * n, 2));
  const std::vector<double> left = Values(x);
  const std::vector<double> right = Values(y);
  std::vector<double> expected;
  for (int64_t a = 0; a < 2; ++a) {
    for (int64_t b = 0; b < 3; ++b) {
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < n; ++j) {
          double sum = 0;
          for (int64_t p = 0; p < k; ++p) {
            sum += left[static_cast<size_t>((a * m + i) * k + p)] *
                   right[static_cast<size_t>((b * k + p) * n + j)];
          }
          expected.push_back(sum);
        }
      }
    }
  }
  OpTest("BatchMatMulV2")
      .Input(x)
      .Input(y)
      .Expect(MakeTensor<T>({2, 3, m, n}, expected))
      .Within(Slack(slack, kCancel))
      .Run();
}

TEST(BatchMatMul, BroadcastsFloat) {
  CheckOuter<float>(2, 3, 4, 1e-5);
  CheckOuter<float>(50, 60, 70, 1e-4);
}
TEST(BatchMatMul, BroadcastsDouble) { CheckOuter<double>(5, 6, 7, 1e-12); }
TEST(BatchMatMul, BroadcastsHalf) { CheckOuter<Half>(5, 6, 7, 1e-2); }
TEST(BatchMatMul, BroadcastsBFloat16) {
  CheckOuter<BFloat16>(5, 6, 7, 3e-2);
  CheckOuter<BFloat16>(80, 90, 90, 5e-2);
}

TEST(BatchMatMul, Adjoint) {
  OpTest("BatchMatMulV2")
      .Input(MakeTensor<float>({2, 2, 1}, {1, 2, 3, 4}))
      .Input(MakeTensor<float>({2, 3, 2}, {1, 0, 0, 1, 1, 1, 2, 0, 0, 2, 2, 2}))
      .Attr("adj_x", true)
      .Attr("adj_y", true)
      .Expect(MakeTensor<float>({2, 1, 3}, {1, 2, 3, 6, 8, 14}))
      .Run();
}

TEST(BatchMatMul, Int32) {
  OpTest("BatchMatMulV2")
      .Input(MakeTensor<int32_t>({2, 1, 2}, {1, 2, 3, 4}))
      .Input(MakeTensor<int32_t>({2, 1}, {5, 6}))
      .Expect(MakeTensor<int32_t>({2, 1, 1}, {17, 39}))
      .Run();
}

TEST(BatchMatMul, EmptyBatch) {
  OpTest("BatchMatMulV2")
      .Input(MakeTensor<float>({0, 2, 2}, {}))
      .Input(MakeTensor<float>({1, 2, 3}, {1, 2, 3, 4, 5, 6}))
      .Expect(MakeTensor<float>({0, 2, 3}, {}))
      .Run();
}

TEST(BatchMatMul, RejectsBatchesThatDoNotBroadcast) {
  OpTest("BatchMatMulV2")
      .Input(MakeTensor<float>({2, 1, 1}, {1, 2}))
      .Input(MakeTensor<float>({3, 1, 1}, {1, 2, 3}))
      .RunExpectingError(Code::kInvalidArgument, "");
}

TEST(BatchMatMul, RejectsVectors) {
  OpTest("BatchMatMulV2")
      .Input(MakeTensor<float>({2}, {1, 2}))
      .Input(MakeTensor<float>({2, 1}, {1, 2}))
      .RunExpectingError(Code::kInvalidArgument, "rank");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
