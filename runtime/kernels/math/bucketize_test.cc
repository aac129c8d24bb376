// Expected numbers are TensorFlow's.
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(Bucketize, Float) {
  OpTest("Bucketize")
      .Input(MakeTensor<float>({9}, {-5, 0, 2, 3, 5, 8, 10, 11, 12}))
      .Attr("boundaries", std::vector<float>{0, 3, 8, 11})
      .Expect(MakeTensor<int32_t>({9}, {0, 1, 1, 2, 2, 3, 3, 4, 4}))
      .Run();
}

TEST(Bucketize, Int64) {
  OpTest("Bucketize")
      .Input(MakeTensor<int64_t>({3}, {-5, 3, 99}))
      .Attr("boundaries", std::vector<float>{0, 3, 8, 11})
      .Expect(MakeTensor<int32_t>({3}, {0, 2, 4}))
      .Run();
}

TEST(Bucketize, Malformed) {
  OpTest("Bucketize")
      .Input(MakeTensor<float>({1}, {1}))
      .Attr("boundaries", std::vector<float>{3, 0})
      .RunExpectingError(Code::kInvalidArgument, "sorted");
}

TEST(UnravelIndex, Vector) {
  OpTest("UnravelIndex")
      .Input(MakeTensor<int32_t>({3}, {22, 41, 37}))
      .Input(MakeTensor<int32_t>({2}, {7, 6}))
      .Expect(MakeTensor<int32_t>({2, 3}, {3, 6, 6, 4, 5, 1}))
      .Run();
}

TEST(UnravelIndex, Scalar) {
  OpTest("UnravelIndex")
      .Input(MakeTensor<int64_t>({}, {1621}))
      .Input(MakeTensor<int64_t>({4}, {6, 7, 8, 9}))
      .Expect(MakeTensor<int64_t>({4}, {3, 1, 4, 1}))
      .Run();
}

TEST(UnravelIndex, Malformed) {
  OpTest("UnravelIndex")
      .Input(MakeTensor<int32_t>({1}, {42}))
      .Input(MakeTensor<int32_t>({2}, {7, 6}))
      .RunExpectingError(Code::kInvalidArgument, "out of bound");
  OpTest("UnravelIndex")
      .Input(MakeTensor<int32_t>({1}, {-1}))
      .Input(MakeTensor<int32_t>({2}, {7, 6}))
      .RunExpectingError(Code::kInvalidArgument, "out of bound");
  OpTest("UnravelIndex")
      .Input(MakeTensor<int32_t>({1}, {1}))
      .Input(MakeTensor<int32_t>({2}, {7, -6}))
      .RunExpectingError(Code::kInvalidArgument, "");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
