#include <cmath>

#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

template <typename T>
void NumbersInOrder() {
  OpTest("Unique")
      .Input(MakeTensor<T>({6}, {3, 1, 3, 2, 1, 3}))
      .Expect(MakeTensor<T>({3}, {3, 1, 2}))
      .Expect(MakeTensor<int32_t>({6}, {0, 1, 0, 2, 1, 0}))
      .Run();
}
TEST(Unique, Float) { NumbersInOrder<float>(); }
TEST(Unique, Half) { NumbersInOrder<Half>(); }
TEST(Unique, Int32) { NumbersInOrder<int32_t>(); }
TEST(Unique, Int8) { NumbersInOrder<int8_t>(); }

TEST(Unique, WideNumbersAndNothing) {
  OpTest("Unique")
      .Input(MakeTensor<int64_t>({0}, {}))
      .Attr("out_idx", DType::kInt64)
      .Expect(MakeTensor<int64_t>({0}, {}))
      .Expect(MakeTensor<int64_t>({0}, {}))
      .Run();
}

TEST(Unique, ZerosAreEqualAndNoNanIsAnother) {
  const auto results = OpTest("Unique")
                           .Input(MakeTensor<float>({4}, {0.0, NAN, -0.0, NAN}))
                           .RunOn(CpuDevice());
  ASSERT_OK(results);
  EXPECT_EQ((*results)[0].num_elements(), int64_t{3});
  ExpectClose((*results)[1], MakeTensor<int32_t>({4}, {0, 1, 0, 2}), Ulps(0));
}

template <typename T>
void CountsInOrder() {
  OpTest("UniqueWithCounts")
      .Input(MakeTensor<T>({6}, {7, 3, 7, 7, 0, 3}))
      .Expect(MakeTensor<T>({3}, {7, 3, 0}))
      .Expect(MakeTensor<int32_t>({6}, {0, 1, 0, 0, 2, 1}))
      .Expect(MakeTensor<int32_t>({3}, {3, 2, 1}))
      .Run();
}
TEST(UniqueWithCounts, Float) { CountsInOrder<float>(); }
TEST(UniqueWithCounts, BFloat16) { CountsInOrder<BFloat16>(); }
TEST(UniqueWithCounts, Int64) { CountsInOrder<int64_t>(); }

TEST(Unique, Strings) {
  OpTest test("Unique");
  test.Input(Tensor::Strings({3}, {"a", "b", "a"}));
  const Result<std::vector<Tensor>> outputs = test.RunOnCpu();
  ASSERT_OK(outputs);
  EXPECT_EQ((*outputs)[0].num_elements(), int64_t{2});
  EXPECT_EQ((*outputs)[0].data<std::string>()[1], std::string("b"));
}

TEST(Unique, RefusesAMatrix) {
  EXPECT_ERROR(OpTest("Unique").Input(MakeTensor<float>({1, 1}, {1})).RunOn(CpuDevice()),
               Code::kInvalidArgument, "rank 1");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
