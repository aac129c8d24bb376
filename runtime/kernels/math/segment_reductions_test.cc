// Expected numbers are TensorFlow's.
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(SegmentSum, Float) {
  OpTest("SegmentSum")
      .Input(MakeTensor<float>({5, 2}, {-0.129999995, 1.58000004, -0.209999993, 0.0299999993,
          -0.340000004, 0.0799999982, -0.239999995, 2.02999997, 0.430000007, -1.67999995}))
      .Input(MakeTensor<int32_t>({5}, {0, 0, 2, 2, 4}))
      .Expect(MakeTensor<float>({5, 2}, {-0.339999974, 1.61000001, 0, 0, -0.579999983, 2.1099999,
          0, 0, 0.430000007, -1.67999995}))
      .Run();
}

TEST(SegmentMean, Float) {
  OpTest("SegmentMean")
      .Input(MakeTensor<float>({5, 2}, {-0.129999995, 1.58000004, -0.209999993, 0.0299999993,
          -0.340000004, 0.0799999982, -0.239999995, 2.02999997, 0.430000007, -1.67999995}))
      .Input(MakeTensor<int32_t>({5}, {0, 0, 2, 2, 4}))
      .Expect(MakeTensor<float>({5, 2}, {-0.169999987, 0.805000007, 0, 0, -0.289999992,
          1.05499995, 0, 0, 0.430000007, -1.67999995}))
      .Run();
}

TEST(SegmentProd, Float) {
  OpTest("SegmentProd")
      .Input(MakeTensor<float>({5, 2}, {-0.129999995, 1.58000004, -0.209999993, 0.0299999993,
          -0.340000004, 0.0799999982, -0.239999995, 2.02999997, 0.430000007, -1.67999995}))
      .Input(MakeTensor<int32_t>({5}, {0, 0, 2, 2, 4}))
      .Expect(MakeTensor<float>({5, 2}, {0.0272999983, 0.0474000014, 1, 1, 0.0815999955,
          0.162399992, 1, 1, 0.430000007, -1.67999995}))
      .Run();
}

TEST(SegmentMin, Float) {
  OpTest("SegmentMin")
      .Input(MakeTensor<float>({5, 2}, {-0.129999995, 1.58000004, -0.209999993, 0.0299999993,
          -0.340000004, 0.0799999982, -0.239999995, 2.02999997, 0.430000007, -1.67999995}))
      .Input(MakeTensor<int32_t>({5}, {0, 0, 2, 2, 4}))
      .Expect(MakeTensor<float>({5, 2}, {-0.209999993, 0.0299999993, 0, 0, -0.340000004,
          0.0799999982, 0, 0, 0.430000007, -1.67999995}))
      .Run();
}

TEST(SegmentMax, Float) {
  OpTest("SegmentMax")
      .Input(MakeTensor<float>({5, 2}, {-0.129999995, 1.58000004, -0.209999993, 0.0299999993,
          -0.340000004, 0.0799999982, -0.239999995, 2.02999997, 0.430000007, -1.67999995}))
      .Input(MakeTensor<int32_t>({5}, {0, 0, 2, 2, 4}))
      .Expect(MakeTensor<float>({5, 2}, {-0.129999995, 1.58000004, 0, 0, -0.239999995, 2.02999997,
          0, 0, 0.430000007, -1.67999995}))
      .Run();
}

TEST(SegmentMax, Int) {
  OpTest("SegmentMax")
      .Input(MakeTensor<int64_t>({3}, {3, -4, 5}))
      .Input(MakeTensor<int64_t>({3}, {0, 0, 1}))
      .Expect(MakeTensor<int64_t>({2}, {3, 5}))
      .Run();
}

TEST(SegmentSum, Half) {
  OpTest("SegmentSum")
      .Input(MakeTensor<Half>({3}, {1.5, 2, 4}))
      .Input(MakeTensor<int32_t>({3}, {0, 0, 1}))
      .Expect(MakeTensor<Half>({2}, {3.5, 4}))
      .Run();
}

TEST(SegmentSum, Malformed) {
  OpTest("SegmentSum")
      .Input(MakeTensor<float>({5, 2}, {-0.129999995, 1.58000004, -0.209999993, 0.0299999993,
          -0.340000004, 0.0799999982, -0.239999995, 2.02999997, 0.430000007, -1.67999995}))
      .Input(MakeTensor<int32_t>({5}, {1, 0, 0, 0, 1}))
      .RunExpectingError(Code::kInvalidArgument, "not increasing");
  OpTest("SegmentSum")
      .Input(MakeTensor<float>({5, 2}, {-0.129999995, 1.58000004, -0.209999993, 0.0299999993,
          -0.340000004, 0.0799999982, -0.239999995, 2.02999997, 0.430000007, -1.67999995}))
      .Input(MakeTensor<int32_t>({5}, {1, 0, 0, 0, 0}))
      .RunExpectingError(Code::kInvalidArgument, "Segment id 1 out of range");
  OpTest("SegmentSum")
      .Input(MakeTensor<float>({5, 2}, {-0.129999995, 1.58000004, -0.209999993, 0.0299999993,
          -0.340000004, 0.0799999982, -0.239999995, 2.02999997, 0.430000007, -1.67999995}))
      .Input(MakeTensor<int32_t>({5}, {0, 0, 0, 0, -1}))
      .RunExpectingError(Code::kInvalidArgument, ">= 0");
  OpTest("SegmentSum")
      .Input(MakeTensor<float>({5, 2}, {-0.129999995, 1.58000004, -0.209999993, 0.0299999993,
          -0.340000004, 0.0799999982, -0.239999995, 2.02999997, 0.430000007, -1.67999995}))
      .Input(MakeTensor<int32_t>({2}, {0, 0}))
      .RunExpectingError(Code::kInvalidArgument, "");
  OpTest("SegmentSum")
      .Input(MakeTensor<float>({5, 2}, {-0.129999995, 1.58000004, -0.209999993, 0.0299999993,
          -0.340000004, 0.0799999982, -0.239999995, 2.02999997, 0.430000007, -1.67999995}))
      .Input(MakeTensor<int64_t>({5}, {0, 0, 0, 0, 4611686018427387904}))
      .RunExpectingError(Code::kInvalidArgument, "too large");
}

TEST(UnsortedSegmentProd, Float) {
  OpTest("UnsortedSegmentProd")
      .Input(MakeTensor<float>({5, 2}, {-0.129999995, 1.58000004, -0.209999993, 0.0299999993,
          -0.340000004, 0.0799999982, -0.239999995, 2.02999997, 0.430000007, -1.67999995}))
      .Input(MakeTensor<int32_t>({5}, {1, 0, 3, -1, 3}))
      .Input(MakeTensor<int32_t>({}, {4}))
      .Expect(MakeTensor<float>({4, 2}, {-0.209999993, 0.0299999993, -0.129999995, 1.58000004, 1,
          1, -0.146200001, -0.134399995}))
      .Run();
}

TEST(UnsortedSegmentMin, Float) {
  OpTest("UnsortedSegmentMin")
      .Input(MakeTensor<float>({5, 2}, {-0.129999995, 1.58000004, -0.209999993, 0.0299999993,
          -0.340000004, 0.0799999982, -0.239999995, 2.02999997, 0.430000007, -1.67999995}))
      .Input(MakeTensor<int32_t>({5}, {1, 0, 3, -1, 3}))
      .Input(MakeTensor<int32_t>({}, {4}))
      .Expect(MakeTensor<float>({4, 2}, {-0.209999993, 0.0299999993, -0.129999995, 1.58000004,
          3.40282347e+38, 3.40282347e+38, -0.340000004, -1.67999995}))
      .Run();
}

TEST(UnsortedSegmentMax, Float) {
  OpTest("UnsortedSegmentMax")
      .Input(MakeTensor<float>({5, 2}, {-0.129999995, 1.58000004, -0.209999993, 0.0299999993,
          -0.340000004, 0.0799999982, -0.239999995, 2.02999997, 0.430000007, -1.67999995}))
      .Input(MakeTensor<int32_t>({5}, {1, 0, 3, -1, 3}))
      .Input(MakeTensor<int32_t>({}, {4}))
      .Expect(MakeTensor<float>({4, 2}, {-0.209999993, 0.0299999993, -0.129999995, 1.58000004,
          -3.40282347e+38, -3.40282347e+38, 0.430000007, 0.0799999982}))
      .Run();
}

TEST(UnsortedSegmentMax, Int8) {
  OpTest("UnsortedSegmentMax")
      .Input(MakeTensor<int8_t>({2}, {1, -2}))
      .Input(MakeTensor<int32_t>({2}, {0, 0}))
      .Input(MakeTensor<int32_t>({}, {2}))
      .Expect(MakeTensor<int8_t>({2}, {1, -128}))
      .Run();
}

TEST(UnsortedSegmentMin, Half) {
  OpTest("UnsortedSegmentMin")
      .Input(MakeTensor<Half>({2}, {1, -2}))
      .Input(MakeTensor<int32_t>({2}, {0, 0}))
      .Input(MakeTensor<int32_t>({}, {2}))
      .Expect(MakeTensor<Half>({2}, {-2, 65504}))
      .Run();
}

TEST(UnsortedSegmentMax, Malformed) {
  OpTest("UnsortedSegmentMax")
      .Input(MakeTensor<float>({5, 2}, {-0.129999995, 1.58000004, -0.209999993, 0.0299999993,
          -0.340000004, 0.0799999982, -0.239999995, 2.02999997, 0.430000007, -1.67999995}))
      .Input(MakeTensor<int32_t>({5}, {0, 0, 0, 0, 9}))
      .Input(MakeTensor<int32_t>({}, {3}))
      .RunExpectingError(Code::kInvalidArgument, "out of range");
  OpTest("UnsortedSegmentMax")
      .Input(MakeTensor<float>({5, 2}, {-0.129999995, 1.58000004, -0.209999993, 0.0299999993,
          -0.340000004, 0.0799999982, -0.239999995, 2.02999997, 0.430000007, -1.67999995}))
      .Input(MakeTensor<int32_t>({5}, {1, 0, 3, -1, 3}))
      .Input(MakeTensor<int32_t>({}, {-3}))
      .RunExpectingError(Code::kInvalidArgument, "");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
