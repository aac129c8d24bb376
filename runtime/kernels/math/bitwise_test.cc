// Expected numbers are TensorFlow's.
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(BitwiseAnd, Int32) {
  OpTest("BitwiseAnd")
      .Input(MakeTensor<int32_t>({4}, {12, -7, 5, 1}))
      .Input(MakeTensor<int32_t>({4}, {10, 3, -1, 40}))
      .Expect(MakeTensor<int32_t>({4}, {8, 1, 5, 0}))
      .Run();
}

TEST(BitwiseOr, Int32) {
  OpTest("BitwiseOr")
      .Input(MakeTensor<int32_t>({4}, {12, -7, 5, 1}))
      .Input(MakeTensor<int32_t>({4}, {10, 3, -1, 40}))
      .Expect(MakeTensor<int32_t>({4}, {14, -5, -1, 41}))
      .Run();
}

TEST(BitwiseXor, Int32) {
  OpTest("BitwiseXor")
      .Input(MakeTensor<int32_t>({4}, {12, -7, 5, 1}))
      .Input(MakeTensor<int32_t>({4}, {10, 3, -1, 40}))
      .Expect(MakeTensor<int32_t>({4}, {6, -6, -6, 41}))
      .Run();
}

TEST(BitwiseAnd, Stretched) {
  OpTest("BitwiseAnd")
      .Input(MakeTensor<int8_t>({2, 1}, {3, -4}))
      .Input(MakeTensor<int8_t>({2}, {1, 6}))
      .Expect(MakeTensor<int8_t>({2, 2}, {1, 2, 0, 4}))
      .Run();
}

TEST(LeftShift, Stretched) {
  OpTest("LeftShift")
      .Input(MakeTensor<int8_t>({2, 1}, {3, -4}))
      .Input(MakeTensor<int8_t>({2}, {1, 6}))
      .Expect(MakeTensor<int8_t>({2, 2}, {6, -64, -8, 0}))
      .Run();
}

TEST(RightShift, Stretched) {
  OpTest("RightShift")
      .Input(MakeTensor<int8_t>({2, 1}, {3, -4}))
      .Input(MakeTensor<int8_t>({2}, {1, 6}))
      .Expect(MakeTensor<int8_t>({2, 2}, {1, 0, -2, -1}))
      .Run();
}

TEST(Shift, OutOfRange) {
  OpTest("LeftShift")
      .Input(MakeTensor<int32_t>({2}, {1, 1}))
      .Input(MakeTensor<int32_t>({2}, {31, 2}))
      .Expect(MakeTensor<int32_t>({2}, {-2147483648, 4}))
      .Run();
  OpTest("LeftShift")
      .Input(MakeTensor<int32_t>({2}, {1, 1}))
      .Input(MakeTensor<int32_t>({2}, {40, -3}))
      .Expect(MakeTensor<int32_t>({2}, {-2147483648, 1}))
      .Run();
  OpTest("RightShift")
      .Input(MakeTensor<int32_t>({2}, {-8, 64}))
      .Input(MakeTensor<int32_t>({2}, {40, -3}))
      .Expect(MakeTensor<int32_t>({2}, {-1, 64}))
      .Run();
}

TEST(Invert, Int8) {
  OpTest("Invert")
      .Input(MakeTensor<int8_t>({3}, {0, -1, 77}))
      .Expect(MakeTensor<int8_t>({3}, {-1, 0, -78}))
      .Run();
}

TEST(PopulationCount, Int64) {
  OpTest("PopulationCount")
      .Input(MakeTensor<int64_t>({3}, {0, -1, 77}))
      .Expect(MakeTensor<uint8_t>({3}, {0, 64, 4}))
      .Run();
}

TEST(PopulationCount, Int8) {
  OpTest("PopulationCount")
      .Input(MakeTensor<int8_t>({2}, {-1, 3}))
      .Expect(MakeTensor<uint8_t>({2}, {8, 2}))
      .Run();
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
