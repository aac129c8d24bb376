// Expected numbers are TensorFlow's.
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(StatelessRandomUniform, Float) {
  OpTest("StatelessRandomUniform")
      .Input(MakeTensor<int32_t>({1}, {5}))
      .Input(MakeTensor<int64_t>({2}, {5, -7}))
      .Attr("dtype", DTypeOf<float>::value)
      .Expect(MakeTensor<float>({5}, {0.545576572, 0.196916938, 0.231461287, 0.443347096,
          0.207774758}))
      .Run();
}

TEST(StatelessRandomUniform, Double) {
  OpTest("StatelessRandomUniform")
      .Input(MakeTensor<int32_t>({1}, {5}))
      .Input(MakeTensor<int64_t>({2}, {5, -7}))
      .Attr("dtype", DTypeOf<double>::value)
      .Expect(MakeTensor<double>({5}, {0.36461347005687084, 0.8516906247350333,
          0.6621983878010667, 0.8380658777576167, 0.35022816897442977}))
      .Run();
}

TEST(StatelessRandomUniform, Half) {
  OpTest("StatelessRandomUniform")
      .Input(MakeTensor<int32_t>({1}, {5}))
      .Input(MakeTensor<int64_t>({2}, {5, -7}))
      .Attr("dtype", DTypeOf<Half>::value)
      .Expect(MakeTensor<Half>({5}, {0.36328125, 0.143554688, 0.130859375, 0.899414062,
          0.0908203125}))
      .Run();
}

TEST(StatelessRandomNormal, Float) {
  OpTest("StatelessRandomNormal")
      .Input(MakeTensor<int32_t>({1}, {5}))
      .Input(MakeTensor<int64_t>({2}, {5, -7}))
      .Attr("dtype", DTypeOf<float>::value)
      .Expect(MakeTensor<float>({5}, {1.04016483, 0.360390693, 0.596183062, -1.60351217,
          1.18325198}))
      .Within(Slack(1e-6, "TensorFlow's own logarithm and sine are as far from the truth"))
      .Run();
}

TEST(StatelessRandomNormal, Double) {
  OpTest("StatelessRandomNormal")
      .Input(MakeTensor<int32_t>({1}, {5}))
      .Input(MakeTensor<int64_t>({2}, {5, -7}))
      .Attr("dtype", DTypeOf<double>::value)
      .Expect(MakeTensor<double>({5}, {-1.1402788707455378, 0.8471121780884222,
          -0.7724662697401937, 0.4771541041195787, 0.4247542076626247}))
      .Within(Slack(1e-14, "TensorFlow's own logarithm and sine are as far from the truth"))
      .Run();
}

TEST(StatelessRandomNormal, Half) {
  OpTest("StatelessRandomNormal")
      .Input(MakeTensor<int32_t>({1}, {5}))
      .Input(MakeTensor<int64_t>({2}, {5, -7}))
      .Attr("dtype", DTypeOf<Half>::value)
      .Expect(MakeTensor<Half>({5}, {1.04003906, 0.360351562, 0.596191406, -1.60351562,
          1.18359375}))
      .Within(Slack(2e-3, "TensorFlow's own logarithm and sine are as far from the truth"))
      .Run();
}

TEST(StatelessTruncatedNormal, Float) {
  OpTest("StatelessTruncatedNormal")
      .Input(MakeTensor<int32_t>({1}, {5}))
      .Input(MakeTensor<int64_t>({2}, {5, -7}))
      .Attr("dtype", DTypeOf<float>::value)
      .Expect(MakeTensor<float>({5}, {1.04016483, 0.360390693, 0.596183062, -1.60351217,
          0.600432813}))
      .Within(Slack(1e-6, "TensorFlow's own logarithm and sine are as far from the truth"))
      .Run();
}

TEST(StatelessTruncatedNormal, Double) {
  OpTest("StatelessTruncatedNormal")
      .Input(MakeTensor<int32_t>({1}, {5}))
      .Input(MakeTensor<int64_t>({2}, {5, -7}))
      .Attr("dtype", DTypeOf<double>::value)
      .Expect(MakeTensor<double>({5}, {-1.1402788707455378, 0.8471121780884222,
          -0.9776330920775179, 0.6296017743337661, -0.7956929046290458}))
      .Within(Slack(1e-14, "TensorFlow's own logarithm and sine are as far from the truth"))
      .Run();
}

TEST(StatelessTruncatedNormal, Half) {
  OpTest("StatelessTruncatedNormal")
      .Input(MakeTensor<int32_t>({1}, {5}))
      .Input(MakeTensor<int64_t>({2}, {5, -7}))
      .Attr("dtype", DTypeOf<Half>::value)
      .Expect(MakeTensor<Half>({5}, {1.04003906, 0.360351562, 0.596191406, -1.60351562,
          0.600585938}))
      .Within(Slack(2e-3, "TensorFlow's own logarithm and sine are as far from the truth"))
      .Run();
}

TEST(StatelessRandomUniformInt, Int32) {
  OpTest("StatelessRandomUniformInt")
      .Input(MakeTensor<int32_t>({1}, {5}))
      .Input(MakeTensor<int32_t>({2}, {1, 2}))
      .Input(MakeTensor<int32_t>({}, {-4}))
      .Input(MakeTensor<int32_t>({}, {90}))
      .Expect(MakeTensor<int32_t>({5}, {22, 83, 88, 45, 1}))
      .Run();
}

TEST(StatelessRandomUniformFullInt, Int32) {
  OpTest("StatelessRandomUniformFullInt")
      .Input(MakeTensor<int32_t>({1}, {4}))
      .Input(MakeTensor<int64_t>({2}, {5, -7}))
      .Attr("dtype", DTypeOf<int32_t>::value)
      .Expect(MakeTensor<int32_t>({4}, {-263858828, -283560813, -2061655930, 1496891289}))
      .Run();
}

TEST(StatelessRandomUniformInt, Int64) {
  OpTest("StatelessRandomUniformInt")
      .Input(MakeTensor<int32_t>({1}, {5}))
      .Input(MakeTensor<int32_t>({2}, {1, 2}))
      .Input(MakeTensor<int64_t>({}, {-4}))
      .Input(MakeTensor<int64_t>({}, {90}))
      .Expect(MakeTensor<int64_t>({5}, {10, 78, 3, 21, 1}))
      .Run();
}

TEST(StatelessMultinomial, Float) {
  OpTest("StatelessMultinomial")
      .Input(MakeTensor<float>({2, 3}, {1, 2, 0, 0, -9, 3}))
      .Input(MakeTensor<int32_t>({}, {6}))
      .Input(MakeTensor<int64_t>({2}, {5, -7}))
      .Expect(MakeTensor<int64_t>({2, 6}, {1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2}))
      .Run();
}

TEST(StatelessRandom, Malformed) {
  OpTest("StatelessRandomNormal")
      .Input(MakeTensor<int32_t>({1}, {2}))
      .Input(MakeTensor<int64_t>({1}, {1}))
      .RunExpectingError(Code::kInvalidArgument, "");
  OpTest("StatelessRandomNormal")
      .Input(MakeTensor<int32_t>({1}, {-2}))
      .Input(MakeTensor<int64_t>({2}, {5, -7}))
      .RunExpectingError(Code::kInvalidArgument, "");
  OpTest("StatelessRandomUniformInt")
      .Input(MakeTensor<int32_t>({1}, {2}))
      .Input(MakeTensor<int64_t>({2}, {5, -7}))
      .Input(MakeTensor<int32_t>({}, {5}))
      .Input(MakeTensor<int32_t>({}, {5}))
      .RunExpectingError(Code::kInvalidArgument, "minval");
  OpTest("StatelessMultinomial")
      .Input(MakeTensor<float>({2, 0}, {}))
      .Input(MakeTensor<int32_t>({}, {3}))
      .Input(MakeTensor<int64_t>({2}, {5, -7}))
      .RunExpectingError(Code::kInvalidArgument, "num_classes");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
