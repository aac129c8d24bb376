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

TEST(Unique, RefusesAMatrix) {
  EXPECT_ERROR(OpTest("Unique").Input(MakeTensor<float>({1, 1}, {1})).RunOn(CpuDevice()),
               Code::kInvalidArgument, "rank 1");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
