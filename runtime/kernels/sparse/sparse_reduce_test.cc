// Expected numbers are TensorFlow's.
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

// An op of [[0, 1, 0, -2], [0, 0, 0, 0], [3, 0, 4, 0]].
OpTest OfMatrix(const std::string& op) {
  OpTest test(op);
  test.Input(MakeTensor<int64_t>({4, 2}, {0, 1, 0, 3, 2, 0, 2, 2}))
      .Input(MakeTensor<float>({4}, {1, -2, 3, 4}))
      .Input(MakeTensor<int64_t>({2}, {3, 4}));
  return test;
}

TEST(SparseReduceSum, Axes) {
  OfMatrix("SparseReduceSum")
      .Input(MakeTensor<int32_t>({1}, {0}))
      .Attr("keep_dims", false)
      .Expect(MakeTensor<float>({4}, {3, 1, 4, -2}))
      .Run();
  OfMatrix("SparseReduceSum")
      .Input(MakeTensor<int32_t>({1}, {-1}))
      .Attr("keep_dims", true)
      .Expect(MakeTensor<float>({3, 1}, {-1, 0, 7}))
      .Run();
  OfMatrix("SparseReduceSum")
      .Input(MakeTensor<int32_t>({2}, {0, 1}))
      .Attr("keep_dims", false)
      .Expect(MakeTensor<float>({}, {6}))
      .Run();
}

TEST(SparseReduceSum, Sparse) {
  OfMatrix("SparseReduceSumSparse")
      .Input(MakeTensor<int32_t>({1}, {0}))
      .Attr("keep_dims", false)
      .Expect(MakeTensor<int64_t>({4, 1}, {0, 1, 2, 3}))
      .Expect(MakeTensor<float>({4}, {3, 1, 4, -2}))
      .Expect(MakeTensor<int64_t>({1}, {4}))
      .Run();
  OfMatrix("SparseReduceSumSparse")
      .Input(MakeTensor<int32_t>({1}, {1}))
      .Attr("keep_dims", true)
      .Expect(MakeTensor<int64_t>({2, 2}, {0, 0, 2, 0}))
      .Expect(MakeTensor<float>({2}, {-1, 7}))
      .Expect(MakeTensor<int64_t>({2}, {3, 1}))
      .Run();
}

TEST(SparseReduceMax, Axes) {
  OfMatrix("SparseReduceMax")
      .Input(MakeTensor<int32_t>({1}, {0}))
      .Attr("keep_dims", false)
      .Expect(MakeTensor<float>({4}, {3, 1, 4, -2}))
      .Run();
  OfMatrix("SparseReduceMax")
      .Input(MakeTensor<int32_t>({1}, {-1}))
      .Attr("keep_dims", true)
      .Expect(MakeTensor<float>({3, 1}, {1, 0, 4}))
      .Run();
  OfMatrix("SparseReduceMax")
      .Input(MakeTensor<int32_t>({2}, {0, 1}))
      .Attr("keep_dims", false)
      .Expect(MakeTensor<float>({}, {4}))
      .Run();
}

TEST(SparseReduceMax, Sparse) {
  OfMatrix("SparseReduceMaxSparse")
      .Input(MakeTensor<int32_t>({1}, {0}))
      .Attr("keep_dims", false)
      .Expect(MakeTensor<int64_t>({4, 1}, {0, 1, 2, 3}))
      .Expect(MakeTensor<float>({4}, {3, 1, 4, -2}))
      .Expect(MakeTensor<int64_t>({1}, {4}))
      .Run();
  OfMatrix("SparseReduceMaxSparse")
      .Input(MakeTensor<int32_t>({1}, {1}))
      .Attr("keep_dims", true)
      .Expect(MakeTensor<int64_t>({2, 2}, {0, 0, 2, 0}))
      .Expect(MakeTensor<float>({2}, {1, 4}))
      .Expect(MakeTensor<int64_t>({2}, {3, 1}))
      .Run();
}

TEST(SparseReduceSum, Malformed) {
  OfMatrix("SparseReduceSum")
      .Input(MakeTensor<int32_t>({1}, {2}))
      .RunExpectingError(Code::kInvalidArgument, "Invalid reduction dimension");
  OpTest("SparseReduceSum")
      .Input(MakeTensor<int64_t>({4, 2}, {0, 1, 0, 3, 2, 0, 2, 4}))
      .Input(MakeTensor<float>({4}, {1, -2, 3, 4}))
      .Input(MakeTensor<int64_t>({2}, {3, 4}))
      .Input(MakeTensor<int32_t>({1}, {0}))
      .RunExpectingError(Code::kInvalidArgument, "out of bounds");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
