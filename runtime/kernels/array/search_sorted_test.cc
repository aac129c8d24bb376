// Expected numbers are TensorFlow's.
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(LowerBound, Float) {
  OpTest("LowerBound")
      .Input(MakeTensor<float>({2, 4}, {1, 3, 3, 5, 0, 2, 4, 8}))
      .Input(MakeTensor<float>({2, 3}, {0, 3, 9, 2, 3, 8}))
      .Expect(MakeTensor<int32_t>({2, 3}, {0, 1, 4, 1, 2, 3}))
      .Run();
}

TEST(UpperBound, Int64) {
  OpTest("UpperBound")
      .Input(MakeTensor<int32_t>({2, 4}, {1, 3, 3, 5, 0, 2, 4, 8}))
      .Input(MakeTensor<int32_t>({2, 3}, {0, 3, 9, 2, 3, 8}))
      .Attr("out_type", DTypeOf<int64_t>::value)
      .Expect(MakeTensor<int64_t>({2, 3}, {0, 3, 4, 2, 2, 4}))
      .Run();
}

TEST(UpperBound, Malformed) {
  OpTest("UpperBound")
      .Input(MakeTensor<float>({2, 4}, {1, 3, 3, 5, 0, 2, 4, 8}))
      .Input(MakeTensor<float>({1, 3}, {0, 3, 9}))
      .RunExpectingError(Code::kInvalidArgument, "");
  OpTest("LowerBound")
      .Input(MakeTensor<float>({4}, {1, 3, 3, 5}))
      .Input(MakeTensor<float>({2, 3}, {0, 3, 9, 2, 3, 8}))
      .RunExpectingError(Code::kInvalidArgument, "");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
