#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

template <typename T>
void UniqueKeepsTheOrder() {
  OpTest("UniqueWithCounts")
      .Input(MakeTensor<T>({6}, {7, 3, 7, 7, 0, 3}))
      .Expect(MakeTensor<T>({3}, {7, 3, 0}))
      .Expect(MakeTensor<int32_t>({6}, {0, 1, 0, 0, 2, 1}))
      .Expect(MakeTensor<int32_t>({3}, {3, 2, 1}))
      .Run();
}

TEST(Unique, Float) { UniqueKeepsTheOrder<float>(); }
TEST(Unique, Double) { UniqueKeepsTheOrder<double>(); }
TEST(Unique, Half) { UniqueKeepsTheOrder<Half>(); }
TEST(Unique, BFloat16) { UniqueKeepsTheOrder<BFloat16>(); }
TEST(Unique, Int64) { UniqueKeepsTheOrder<int64_t>(); }

TEST(Unique, NumbersOfInt64) {
  OpTest("Unique")
      .Input(MakeTensor<int32_t>({3}, {5, 5, 4}))
      .Attr("out_idx", DType::kInt64)
      .Expect(MakeTensor<int32_t>({2}, {5, 4}))
      .Expect(MakeTensor<int64_t>({3}, {0, 0, 1}))
      .Run();
}

TEST(Unique, Strings) {
  OpTest test("Unique");
  test.Input(Tensor::Strings({3}, {"a", "b", "a"}));
  const Result<std::vector<Tensor>> outputs = test.RunOnCpu();
  ASSERT_OK(outputs);
  EXPECT_EQ((*outputs)[0].num_elements(), 2);
  EXPECT_EQ((*outputs)[0].data<std::string>()[1], std::string("b"));
}

TEST(Unique, RejectsAMatrix) {
  OpTest("Unique")
      .Input(MakeTensor<float>({1, 1}, {1}))
      .RunExpectingError(Code::kInvalidArgument, "");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
