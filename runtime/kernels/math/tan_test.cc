// The expected numbers of AsInTensorFlow are those of TensorFlow 2.21.
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(Tan, AsInTensorFlow) {
  OpTest("Tan")
      .Input(MakeTensor<double>({8}, {-2.5, -.5, .1, .7, 1, 3.3, 20, 1e-3}))
      .Expect(MakeTensor<double>({8}, {
    0.7470222972386603, -0.5463024898437905, 0.10033467208545055, 0.8422883804630794,
    1.5574077246549023, 0.15974574766003222, 2.237160944224742, 0.0010000003333334668}))
      .Within(Ulps(2))
      .Run();
}

TEST(Asinh, AsInTensorFlow) {
  OpTest("Asinh")
      .Input(MakeTensor<double>({8}, {-2.5, -.5, .1, .7, 1, 3.3, 20, 1e-3}))
      .Expect(MakeTensor<double>({8}, {
    -1.6472311463710958, -0.48121182505960347, 0.09983407889920758, 0.6526665660823557,
    0.881373587019543, 1.9092740140163365, 3.6895038689889055, 0.0009999998333334083}))
      .Within(Ulps(2))
      .Run();
}

TEST(Atan, AsInTensorFlow) {
  OpTest("Atan")
      .Input(MakeTensor<double>({8}, {-2.5, -.5, .1, .7, 1, 3.3, 20, 1e-3}))
      .Expect(MakeTensor<double>({8}, {
    -1.1902899496825317, -0.4636476090008061, 0.09966865249116202, 0.6107259643892086,
    0.7853981633974484, 1.2765617616837088, 1.5208379310729538, 0.0009999996666668668}))
      .Within(Ulps(2))
      .Run();
}

TEST(Atan2, AsInTensorFlow) {
  OpTest("Atan2")
      .Input(MakeTensor<double>({8}, {-2.5, -.5, .1, .7, 1, 3.3, 20, 1e-3}))
      .Input(MakeTensor<double>({8}, {.3, 2, 5, .7, 1, 9, 15, 2}))
      .Expect(MakeTensor<double>({8}, {
    -1.451367400776558, -0.24497866312686414, 0.019997333973150535, 0.7853981633974484,
    0.7853981633974484, 0.3514447940035517, 0.9272952180016121, 0.0004999999583333397}))
      .Within(Ulps(2))
      .Run();
}

TEST(Xlogy, AsInTensorFlow) {
  OpTest("Xlogy")
      .Input(MakeTensor<double>({8}, {-2.5, -.5, .1, .7, 1, 3.3, 20, 1e-3}))
      .Input(MakeTensor<double>({8}, {.3, 2, 5, .7, 1, 9, 15, 2}))
      .Expect(MakeTensor<double>({8}, {
    3.0099320108148397, -0.34657359027997264, 0.16094379124341004, -0.2496724607571127, 0.0,
    7.250841105209522, 54.1610040220442, 0.0006931471805599453}))
      .Within(Ulps(2))
      .Run();
}

TEST(Xlog1py, AsInTensorFlow) {
  OpTest("Xlog1py")
      .Input(MakeTensor<double>({8}, {-2.5, -.5, .1, .7, 1, 3.3, 20, 1e-3}))
      .Input(MakeTensor<double>({8}, {.3, 2, 5, .7, 1, 9, 15, 2}))
      .Expect(MakeTensor<double>({8}, {
    -0.6559106611687275, -0.5493061443340548, 0.1791759469228055, 0.3714397757435192,
    0.6931471805599453, 7.5985308068803485, 55.451774444795625, 0.0010986122886681095}))
      .Within(Ulps(4))
      .Run();
}

TEST(Xdivy, AsInTensorFlow) {
  OpTest("Xdivy")
      .Input(MakeTensor<double>({8}, {-2.5, -.5, .1, .7, 1, 3.3, 20, 1e-3}))
      .Input(MakeTensor<double>({8}, {.3, 2, 5, .7, 1, 9, 15, 2}))
      .Expect(MakeTensor<double>({8}, {
    -8.333333333333334, -0.25, 0.02, 1.0, 1.0, 0.36666666666666664, 1.3333333333333333, 0.0005}))
      .Within(Ulps(2))
      .Run();
}

TEST(TruncateMod, AsInTensorFlow) {
  OpTest("TruncateMod")
      .Input(MakeTensor<double>({8}, {-2.5, -.5, .1, .7, 1, 3.3, 20, 1e-3}))
      .Input(MakeTensor<double>({8}, {.3, 2, 5, .7, 1, 9, 15, 2}))
      .Expect(MakeTensor<double>({8}, {
    -0.10000000000000009, -0.5, 0.1, 0.0, 0.0, 3.3, 5.0, 0.001}))
      .Within(Ulps(2))
      .Run();
}

TEST(Tan, AllTypesOfAllFunctions) {
  const struct {
    const char* op;
    double x;
    double y;
  } cases[] = {{"Tan", 0.5, std::tan(0.5)}, {"Asin", 0.5, std::asin(0.5)},
               {"Acos", 0.5, std::acos(0.5)}, {"Atan", 0.5, std::atan(0.5)},
               {"Sinh", 0.5, std::sinh(0.5)}, {"Cosh", 0.5, std::cosh(0.5)},
               {"Asinh", 0.5, std::asinh(0.5)}, {"Acosh", 1.5, std::acosh(1.5)},
               {"Atanh", 0.5, std::atanh(0.5)}};
  for (const auto& one : cases) {
#define CASE(T)                                              \
  OpTest(one.op).Input(MakeTensor<T>({1}, {one.x}))          \
      .Expect(MakeTensor<T>({1}, {one.y})).Within(Ulps(2)).Run();
    TFBUILD_FLOATING_TYPES(CASE)
#undef CASE
  }
}

TEST(Xlogy, NothingTimesAnythingIsNothing) {
  const Tensor zeros = MakeTensor<float>({3}, {0, 0, 0});
  const Tensor odd = MakeTensor<float>({3}, {0, -1, NAN});
  for (const char* op : {"Xlogy", "Xlog1py", "Xdivy"}) {
    OpTest(op).Input(zeros).Input(odd).Expect(zeros).Run();
  }
}

TEST(TruncateDiv, TowardsZero) {
#define CASE(T)                                                        \
  OpTest("TruncateDiv").Input(MakeTensor<T>({3}, {7, 9, 6})).Input(MakeTensor<T>({3}, {2, 4, 3})) \
      .Expect(MakeTensor<T>({3}, {3, 2, 2})).Run();
  TFBUILD_NUMBER_TYPES(CASE)
#undef CASE
  OpTest("TruncateDiv").Input(MakeTensor<int32_t>({4}, {-7, 7, -7, -2147483648.0}))
      .Input(MakeTensor<int32_t>({4}, {2, -2, -2, -1}))
      .Expect(MakeTensor<int32_t>({4}, {-3, -3, 3, -2147483648.0})).Run();
  OpTest("TruncateMod").Input(MakeTensor<int64_t>({4}, {-7, 7, -7, -8}))
      .Input(MakeTensor<int64_t>({4}, {2, -2, -2, -1}))
      .Expect(MakeTensor<int64_t>({4}, {-1, 1, -1, 0})).Run();
}

TEST(TruncateDiv, RejectsZero) {
  for (const char* op : {"TruncateDiv", "TruncateMod"}) {
    OpTest(op).Input(Tensor::Scalar<int32_t>(1)).Input(Tensor::Scalar<int32_t>(0))
        .RunExpectingError(Code::kInvalidArgument, "division by zero");
  }
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
