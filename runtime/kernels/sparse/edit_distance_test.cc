// Expected numbers are TensorFlow's.
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

// An op of [[a, b], [c], [], [d]] and of what it is held against.
OpTest OfStrings(const std::string& op) {
  OpTest test(op);
  test.Input(MakeTensor<int64_t>({4, 2}, {0, 0, 0, 1, 1, 0, 3, 0}))
      .Input(Tensor::Strings(Shape{4}, {"a", "b", "c", "d"}))
      .Input(MakeTensor<int64_t>({2}, {4, 2}));
  return test;
}

TEST(EditDistance, Normalised) {
  OfStrings("EditDistance")
      .Input(MakeTensor<int64_t>({4, 2}, {0, 0, 0, 1, 0, 2, 2, 0}))
      .Input(Tensor::Strings(Shape{4}, {"b", "a", "b", "x"}))
      .Input(MakeTensor<int64_t>({2}, {3, 3}))
      .Expect(MakeTensor<float>({4}, {0.333333343, INFINITY, 1, INFINITY}))
      .Run();
}

TEST(EditDistance, Counted) {
  OfStrings("EditDistance")
      .Input(MakeTensor<int64_t>({4, 2}, {0, 0, 0, 1, 0, 2, 2, 0}))
      .Input(Tensor::Strings(Shape{4}, {"b", "a", "b", "x"}))
      .Input(MakeTensor<int64_t>({2}, {3, 3}))
      .Attr("normalize", false)
      .Expect(MakeTensor<float>({4}, {1, 1, 1, 1}))
      .Run();
}

TEST(EditDistance, Numbers) {
  OpTest("EditDistance")
      .Input(MakeTensor<int64_t>({4, 2}, {0, 0, 0, 1, 1, 0, 3, 0}))
      .Input(MakeTensor<int32_t>({4}, {1, 2, 3, 4}))
      .Input(MakeTensor<int64_t>({2}, {4, 2}))
      .Input(MakeTensor<int64_t>({4, 2}, {0, 0, 0, 1, 0, 2, 2, 0}))
      .Input(MakeTensor<int32_t>({4}, {2, 1, 2, 9}))
      .Input(MakeTensor<int64_t>({2}, {3, 3}))
      .Attr("normalize", false)
      .Expect(MakeTensor<float>({4}, {1, 1, 1, 1}))
      .Run();
}

// Places within a sequence beyond its length, below 0, repeated and in any order.
TEST(EditDistance, PlacesInASequenceCountForNothing) {
  OpTest("EditDistance")
      .Input(MakeTensor<int64_t>({5, 2}, {0, 7, 0, 1, 0, -1, 2, 0, 2, 0}))
      .Input(MakeTensor<int32_t>({5}, {2, 1, 5, 9, 9}))
      .Input(MakeTensor<int64_t>({2}, {3, 2}))
      .Input(MakeTensor<int64_t>({4, 2}, {0, 0, 0, 1, 0, 2, 2, 0}))
      .Input(MakeTensor<int32_t>({4}, {2, 1, 2, 9}))
      .Input(MakeTensor<int64_t>({2}, {3, 3}))
      .Attr("normalize", false)
      .Expect(MakeTensor<float>({3}, {1, 0, 1}))
      .Run();
}

TEST(EditDistance, Malformed) {
  OfStrings("EditDistance")
      .Input(MakeTensor<int64_t>({4, 2}, {0, 0, 0, 1, 0, 2, 4, 0}))
      .Input(Tensor::Strings(Shape{4}, {"b", "a", "b", "x"}))
      .Input(MakeTensor<int64_t>({2}, {3, 2}))
      .RunExpectingError(Code::kInvalidArgument, "out of bounds");
  OfStrings("EditDistance")
      .Input(MakeTensor<int64_t>({4, 1}, {0, 1, 2, 3}))
      .Input(Tensor::Strings(Shape{4}, {"b", "a", "b", "x"}))
      .Input(MakeTensor<int64_t>({1}, {4}))
      .RunExpectingError(Code::kInvalidArgument, "rank");
  OpTest("EditDistance")
      .Input(MakeTensor<int64_t>({4, 2}, {0, 1, 1, 0, 0, 0, 3, 0}))
      .Input(Tensor::Strings(Shape{4}, {"a", "b", "c", "d"}))
      .Input(MakeTensor<int64_t>({2}, {4, 2}))
      .Input(MakeTensor<int64_t>({4, 2}, {0, 0, 0, 1, 0, 2, 2, 0}))
      .Input(Tensor::Strings(Shape{4}, {"b", "a", "b", "x"}))
      .Input(MakeTensor<int64_t>({2}, {3, 3}))
      .RunExpectingError(Code::kInvalidArgument, "out of order");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
