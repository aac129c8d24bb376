// Expected orders are those that TensorFlow draws for the same seeds, in the first and in the
// second step.
#include <algorithm>
#include <numeric>

#include "testing/limited_work.h"
#include "testing/repeated_op.h"

namespace tfbuild {
namespace testing {
namespace {

void Check(const Shape& shape, int64_t seed, int64_t seed2, const std::vector<double>& first,
           const std::vector<double>& second) {
  std::vector<double> values(first.size());
  std::iota(values.begin(), values.end(), 0.0);
  const auto steps =
      RunRepeatedly(CpuDevice(), "RandomShuffle", {MakeTensor<int32_t>(shape, values)},
                    {{"seed", seed}, {"seed2", seed2}}, 2);
  ASSERT_OK(steps);
  ExpectClose((*steps)[0], MakeTensor<int32_t>(shape, first), Ulps(0));
  ExpectClose((*steps)[1], MakeTensor<int32_t>(shape, second), Ulps(0));
}

TEST(RandomShuffle, Vector) {
  Check({10}, 1, 2, {9, 0, 8, 6, 1, 3, 7, 2, 4, 5}, {8, 7, 4, 3, 2, 1, 9, 5, 6, 0});
}

TEST(RandomShuffle, Rows) {
  Check({6, 2}, 87654321, 5, {2, 3, 10, 11, 4, 5, 0, 1, 8, 9, 6, 7},
        {4, 5, 10, 11, 6, 7, 0, 1, 8, 9, 2, 3});
}

TEST(RandomShuffle, KeepsAllRows) {
  std::vector<double> values(50000);
  std::iota(values.begin(), values.end(), 0.0);
  const auto steps = RunRepeatedly(CpuDevice(), "RandomShuffle",
                                   {MakeTensor<double>({50000}, values)}, {}, 1);
  ASSERT_OK(steps);
  std::vector<double> shuffled = Values((*steps)[0]);
  EXPECT_TRUE(shuffled != values);
  std::sort(shuffled.begin(), shuffled.end());
  EXPECT_TRUE(shuffled == values);
}

TEST(RandomShuffle, Strings) {
  const Tensor value = Tensor::Strings({3}, {"a", "b", "c"});
  const auto steps = RunRepeatedly(CpuDevice(), "RandomShuffle", {value}, {}, 1);
  ASSERT_OK(steps);
  std::vector<std::string> shuffled((*steps)[0].data<std::string>(),
                                    (*steps)[0].data<std::string>() + 3);
  std::sort(shuffled.begin(), shuffled.end());
  EXPECT_TRUE(shuffled == (std::vector<std::string>{"a", "b", "c"}));
}

TEST(RandomShuffle, LeavesScalarsAndSingleRows) {
  OpTest("RandomShuffle").Input(Tensor::Scalar<float>(3)).Expect(Tensor::Scalar<float>(3)).Run();
  OpTest("RandomShuffle")
      .Input(MakeTensor<float>({1, 2}, {1, 2}))
      .Expect(MakeTensor<float>({1, 2}, {1, 2}))
      .Run();
}

TEST(RandomShuffle, EndsWithItsStep) {
  OpTest test("RandomShuffle");
  test.Input(*Tensor::Allocate(CpuAllocator(), DType::kBool, Shape{20000}));
  EXPECT_ERROR(StoppedAfter(2, [&test] { return test.RunOnCpu().status(); }), Code::kCancelled,
               "enough");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
