// Expected numbers are TensorFlow's.
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(Roll, OneAxis) {
  OpTest("Roll")
      .Input(MakeTensor<float>({3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}))
      .Input(MakeTensor<int32_t>({}, {1}))
      .Input(MakeTensor<int32_t>({}, {1}))
      .Expect(MakeTensor<float>({3, 4}, {3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10}))
      .Run();
  OpTest("Roll")
      .Input(MakeTensor<float>({3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}))
      .Input(MakeTensor<int32_t>({1}, {-5}))
      .Input(MakeTensor<int32_t>({1}, {0}))
      .Expect(MakeTensor<float>({3, 4}, {8, 9, 10, 11, 0, 1, 2, 3, 4, 5, 6, 7}))
      .Run();
}

TEST(Roll, SeveralAxes) {
  OpTest("Roll")
      .Input(MakeTensor<float>({3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}))
      .Input(MakeTensor<int64_t>({3}, {2, -1, 1}))
      .Input(MakeTensor<int64_t>({3}, {0, 1, -1}))
      .Expect(MakeTensor<float>({3, 4}, {4, 5, 6, 7, 8, 9, 10, 11, 0, 1, 2, 3}))
      .Run();
}

TEST(Roll, Strings) {
  OpTest("Roll")
      .Input(Tensor::Strings(Shape{3}, {"a", "b", "c"}))
      .Input(MakeTensor<int32_t>({}, {1}))
      .Input(MakeTensor<int32_t>({}, {0}))
      .Expect(Tensor::Strings(Shape{3}, {"c", "a", "b"}))
      .Run();
}

TEST(Roll, Malformed) {
  OpTest("Roll")
      .Input(MakeTensor<float>({3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}))
      .Input(MakeTensor<int32_t>({}, {1}))
      .Input(MakeTensor<int32_t>({}, {2}))
      .RunExpectingError(Code::kInvalidArgument, "out of range");
  OpTest("Roll")
      .Input(MakeTensor<float>({3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}))
      .Input(MakeTensor<int32_t>({2}, {1, 2}))
      .Input(MakeTensor<int32_t>({1}, {0}))
      .RunExpectingError(Code::kInvalidArgument, "same size");
  OpTest("Roll")
      .Input(MakeTensor<float>({}, {1}))
      .Input(MakeTensor<int32_t>({}, {1}))
      .Input(MakeTensor<int32_t>({}, {0}))
      .RunExpectingError(Code::kInvalidArgument, "rank");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
