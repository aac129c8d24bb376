// Expected numbers are TensorFlow's.
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(SparseSegmentSum, Float) {
  OpTest("SparseSegmentSum")
      .Input(MakeTensor<float>({5, 2}, {-0.129999995, 1.58000004, -0.209999993, 0.0299999993,
          -0.340000004, 0.0799999982, -0.239999995, 2.02999997, 0.430000007, -1.67999995}))
      .Input(MakeTensor<int32_t>({5}, {1, 0, 4, 4, 2}))
      .Input(MakeTensor<int32_t>({5}, {0, 0, 2, 2, 4}))
      .Expect(MakeTensor<float>({5, 2}, {-0.339999974, 1.61000001, 0, 0, 0.860000014, -3.3599999,
          0, 0, -0.340000004, 0.0799999982}))
      .Run();
}

TEST(SparseSegmentSum, Counted) {
  OpTest("SparseSegmentSumWithNumSegments")
      .Input(MakeTensor<float>({5, 2}, {-0.129999995, 1.58000004, -0.209999993, 0.0299999993,
          -0.340000004, 0.0799999982, -0.239999995, 2.02999997, 0.430000007, -1.67999995}))
      .Input(MakeTensor<int32_t>({5}, {1, 0, 4, 4, 2}))
      .Input(MakeTensor<int32_t>({5}, {0, 0, 2, 2, 4}))
      .Input(MakeTensor<int32_t>({}, {6}))
      .Expect(MakeTensor<float>({6, 2}, {-0.339999974, 1.61000001, 0, 0, 0.860000014, -3.3599999,
          0, 0, -0.340000004, 0.0799999982, 0, 0}))
      .Run();
}

TEST(SparseSegmentSum, Gradient) {
  OpTest("SparseSegmentSumGrad")
      .Input(MakeTensor<float>({5, 2}, {-0.129999995, 1.58000004, -0.209999993, 0.0299999993,
          -0.340000004, 0.0799999982, -0.239999995, 2.02999997, 0.430000007, -1.67999995}))
      .Input(MakeTensor<int32_t>({5}, {1, 0, 4, 4, 2}))
      .Input(MakeTensor<int32_t>({5}, {0, 0, 2, 2, 4}))
      .Input(MakeTensor<int32_t>({}, {6}))
      .Expect(MakeTensor<float>({6, 2}, {-0.129999995, 1.58000004, -0.129999995, 1.58000004,
          0.430000007, -1.67999995, 0, 0, -0.680000007, 0.159999996, 0, 0}))
      .Run();
}

TEST(SparseSegmentMean, Float) {
  OpTest("SparseSegmentMean")
      .Input(MakeTensor<float>({5, 2}, {-0.129999995, 1.58000004, -0.209999993, 0.0299999993,
          -0.340000004, 0.0799999982, -0.239999995, 2.02999997, 0.430000007, -1.67999995}))
      .Input(MakeTensor<int32_t>({5}, {1, 0, 4, 4, 2}))
      .Input(MakeTensor<int32_t>({5}, {0, 0, 2, 2, 4}))
      .Expect(MakeTensor<float>({5, 2}, {-0.169999987, 0.805000007, 0, 0, 0.430000007,
          -1.67999995, 0, 0, -0.340000004, 0.0799999982}))
      .Run();
}

TEST(SparseSegmentMean, Counted) {
  OpTest("SparseSegmentMeanWithNumSegments")
      .Input(MakeTensor<float>({5, 2}, {-0.129999995, 1.58000004, -0.209999993, 0.0299999993,
          -0.340000004, 0.0799999982, -0.239999995, 2.02999997, 0.430000007, -1.67999995}))
      .Input(MakeTensor<int32_t>({5}, {1, 0, 4, 4, 2}))
      .Input(MakeTensor<int32_t>({5}, {0, 0, 2, 2, 4}))
      .Input(MakeTensor<int32_t>({}, {6}))
      .Expect(MakeTensor<float>({6, 2}, {-0.169999987, 0.805000007, 0, 0, 0.430000007,
          -1.67999995, 0, 0, -0.340000004, 0.0799999982, 0, 0}))
      .Run();
}

TEST(SparseSegmentMean, Gradient) {
  OpTest("SparseSegmentMeanGrad")
      .Input(MakeTensor<float>({5, 2}, {-0.129999995, 1.58000004, -0.209999993, 0.0299999993,
          -0.340000004, 0.0799999982, -0.239999995, 2.02999997, 0.430000007, -1.67999995}))
      .Input(MakeTensor<int32_t>({5}, {1, 0, 4, 4, 2}))
      .Input(MakeTensor<int32_t>({5}, {0, 0, 2, 2, 4}))
      .Input(MakeTensor<int32_t>({}, {6}))
      .Expect(MakeTensor<float>({6, 2}, {-0.0649999976, 0.790000021, -0.0649999976, 0.790000021,
          0.430000007, -1.67999995, 0, 0, -0.340000004, 0.0799999982, 0, 0}))
      .Run();
}

TEST(SparseSegmentSqrtN, Float) {
  OpTest("SparseSegmentSqrtN")
      .Input(MakeTensor<float>({5, 2}, {-0.129999995, 1.58000004, -0.209999993, 0.0299999993,
          -0.340000004, 0.0799999982, -0.239999995, 2.02999997, 0.430000007, -1.67999995}))
      .Input(MakeTensor<int32_t>({5}, {1, 0, 4, 4, 2}))
      .Input(MakeTensor<int32_t>({5}, {0, 0, 2, 2, 4}))
      .Expect(MakeTensor<float>({5, 2}, {-0.240416288, 1.13844192, 0, 0, 0.608111858, -2.37587857,
          0, 0, -0.340000004, 0.0799999982}))
      .Run();
}

TEST(SparseSegmentSqrtN, Counted) {
  OpTest("SparseSegmentSqrtNWithNumSegments")
      .Input(MakeTensor<float>({5, 2}, {-0.129999995, 1.58000004, -0.209999993, 0.0299999993,
          -0.340000004, 0.0799999982, -0.239999995, 2.02999997, 0.430000007, -1.67999995}))
      .Input(MakeTensor<int32_t>({5}, {1, 0, 4, 4, 2}))
      .Input(MakeTensor<int32_t>({5}, {0, 0, 2, 2, 4}))
      .Input(MakeTensor<int32_t>({}, {6}))
      .Expect(MakeTensor<float>({6, 2}, {-0.240416288, 1.13844192, 0, 0, 0.608111858, -2.37587857,
          0, 0, -0.340000004, 0.0799999982, 0, 0}))
      .Run();
}

TEST(SparseSegmentSqrtN, Gradient) {
  OpTest("SparseSegmentSqrtNGrad")
      .Input(MakeTensor<float>({5, 2}, {-0.129999995, 1.58000004, -0.209999993, 0.0299999993,
          -0.340000004, 0.0799999982, -0.239999995, 2.02999997, 0.430000007, -1.67999995}))
      .Input(MakeTensor<int32_t>({5}, {1, 0, 4, 4, 2}))
      .Input(MakeTensor<int32_t>({5}, {0, 0, 2, 2, 4}))
      .Input(MakeTensor<int32_t>({}, {6}))
      .Expect(MakeTensor<float>({6, 2}, {-0.0919238776, 1.11722875, -0.0919238776, 1.11722875,
          0.430000007, -1.67999995, 0, 0, -0.480832607, 0.113137081, 0, 0}))
      .Run();
}

TEST(SparseSegment, Malformed) {
  OpTest("SparseSegmentSum")
      .Input(MakeTensor<float>({5, 2}, {-0.129999995, 1.58000004, -0.209999993, 0.0299999993,
          -0.340000004, 0.0799999982, -0.239999995, 2.02999997, 0.430000007, -1.67999995}))
      .Input(MakeTensor<int32_t>({5}, {1, 0, 4, 4, 9}))
      .Input(MakeTensor<int32_t>({5}, {0, 0, 2, 2, 4}))
      .RunExpectingError(Code::kInvalidArgument, "");
  OpTest("SparseSegmentMean")
      .Input(MakeTensor<float>({5, 2}, {-0.129999995, 1.58000004, -0.209999993, 0.0299999993,
          -0.340000004, 0.0799999982, -0.239999995, 2.02999997, 0.430000007, -1.67999995}))
      .Input(MakeTensor<int32_t>({5}, {1, 0, 4, 4, 2}))
      .Input(MakeTensor<int32_t>({5}, {1, 0, 0, 0, 1}))
      .RunExpectingError(Code::kInvalidArgument, "not increasing");
  OpTest("SparseSegmentSum")
      .Input(MakeTensor<float>({5, 2}, {-0.129999995, 1.58000004, -0.209999993, 0.0299999993,
          -0.340000004, 0.0799999982, -0.239999995, 2.02999997, 0.430000007, -1.67999995}))
      .Input(MakeTensor<int32_t>({2}, {1, 0}))
      .Input(MakeTensor<int32_t>({5}, {0, 0, 2, 2, 4}))
      .RunExpectingError(Code::kInvalidArgument, "");
  OpTest("SparseSegmentSumWithNumSegments")
      .Input(MakeTensor<float>({5, 2}, {-0.129999995, 1.58000004, -0.209999993, 0.0299999993,
          -0.340000004, 0.0799999982, -0.239999995, 2.02999997, 0.430000007, -1.67999995}))
      .Input(MakeTensor<int32_t>({5}, {1, 0, 4, 4, 2}))
      .Input(MakeTensor<int32_t>({5}, {0, 0, 2, 2, 4}))
      .Input(MakeTensor<int32_t>({}, {3}))
      .RunExpectingError(Code::kInvalidArgument, "num_segments");
  OpTest("SparseSegmentMeanGrad")
      .Input(MakeTensor<float>({5, 2}, {-0.129999995, 1.58000004, -0.209999993, 0.0299999993,
          -0.340000004, 0.0799999982, -0.239999995, 2.02999997, 0.430000007, -1.67999995}))
      .Input(MakeTensor<int32_t>({5}, {1, 0, 4, 4, 2}))
      .Input(MakeTensor<int32_t>({5}, {0, 0, 2, 2, 4}))
      .Input(MakeTensor<int32_t>({}, {3}))
      .RunExpectingError(Code::kInvalidArgument, "");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
