// Expected numbers are those that TensorFlow draws for the same seeds, in the first and in the
// second step.
#include <algorithm>

#include "kernels/random/random_fill.h"
#include "testing/repeated_op.h"

namespace tfbuild {
namespace testing {
namespace {

const char kAsTensorFlow[] = "TensorFlow's own logarithm and sine are as far from the truth";

using Numbers = std::vector<double>;

AttrMap Attrs(int64_t seed, int64_t seed2, const std::string& type, DType dtype) {
  return {{"seed", seed}, {"seed2", seed2}, {type, dtype}};
}

void CheckSteps(const std::string& op, const std::vector<Tensor>& inputs, const AttrMap& attrs,
                const std::vector<Tensor>& expected, double slack) {
  for (Device* device : LocalDevices()) {
    const Result<std::vector<Tensor>> steps = RunRepeatedly(device, op, inputs, attrs, 2);
    if (device->type() != DeviceType::kCpu && steps.status().code() == Code::kNotFound) continue;
    ASSERT_OK(steps);
    for (size_t i = 0; i < 2; ++i) ExpectClose((*steps)[i], expected[i], Slack(slack, kAsTensorFlow));
  }
}

template <typename T>
void Check(const std::string& op, double slack, const Numbers& first, const Numbers& second) {
  CheckSteps(op, {Tensor::Vector<int32_t>({5, 2})}, Attrs(1, 2, "dtype", DTypeOf<T>::value),
             {MakeTensor<T>({5, 2}, first), MakeTensor<T>({5, 2}, second)}, slack);
}

TEST(RandomUniform, Float) {
  Check<float>("RandomUniform", 0,
        {0.406396747, 0.857599616, 0.0553958416, 0.0858722925, 0.412153602, 0.0366308689,
         0.65721333, 0.0877975225, 0.869089723, 0.042227149},
        {0.405653238, 0.499975562, 0.783510208, 0.415215969, 0.878833294, 0.588772655,
         0.172831297, 0.271415114, 0.821518779, 0.567541599});
}

TEST(RandomUniform, Double) {
  Check<double>("RandomUniform", 0,
        {0.25117449808418679, 0.44316677020093853, 0.29722962907819239, 0.25770669446847871,
         0.95271811828432074, 0.82916879139473987, 0.54670944156528711, 0.6105678000879653,
         0.79105396273895612, 0.27694228962362466},
        {0.24522666353727796, 0.26808251517865056, 0.030666857191869346, 0.38265116377065911,
         0.57215097466025799, 0.033314246425974137, 0.075835208278427269, 0.49485735946495457,
         0.1764511642637101, 0.47361527619980626});
}

TEST(RandomUniform, Half) {
  Check<Half>("RandomUniform", 0,
        {0.202148438, 0.456054688, 0.802734375, 0.465820312, 0.362304688, 0.080078125,
         0.891601562, 0.237304688, 0.583007812, 0.924804688},
        {0.111328125, 0.799804688, 0.515625, 0.44921875, 0.40234375, 0.225585938, 0.833984375,
         0.432617188, 0.881835938, 0.30078125});
}

TEST(RandomUniform, BFloat16) {
  Check<BFloat16>("RandomUniform", 0,
        {0.6171875, 0.6484375, 0.421875, 0.7265625, 0.8984375, 0.640625, 0.1328125, 0.8984375,
         0.6640625, 0.3984375},
        {0.890625, 0.3984375, 0.125, 0.59375, 0.21875, 0.8046875, 0.671875, 0.4609375,
         0.0546875, 0.40625});
}

// Whatever the vectors and threads, the numbers are those of calls one by one.
template <typename T>
void CheckVectors() {
  const int64_t counts[] = {1, 255, 256, 257, 1000, 70001};
  const uint64_t skips[] = {0, 7, ~uint64_t{0} - 100};
  for (const int64_t count : counts) {
    for (const uint64_t skip : skips) {
      Philox generator(123, 45);
      generator.Skip(skip);
      std::vector<T> numbers(static_cast<size_t>(count) + 1, T(-1.0f));
      FillFromStream(UniformDraw<T>(), generator, count, numbers.data());
      int64_t different = 0;
      float group[4] = {};
      for (int64_t i = 0; i < count; ++i) {
        if (i % 4 == 0) UniformDraw<T>()(&generator, group);
        different += static_cast<float>(numbers[static_cast<size_t>(i)]) != group[i % 4];
      }
      EXPECT_EQ(different, 0);
      EXPECT_EQ(static_cast<float>(numbers.back()), -1.0f);
    }
  }
}

TEST(RandomUniform, VectorsDrawTheSame) {
  CheckVectors<float>();
  CheckVectors<Half>();
  CheckVectors<BFloat16>();
}

TEST(RandomStandardNormal, Float) {
  Check<float>("RandomStandardNormal", 1e-6,
        {-1.04677927, 0.839704573, 1.23583639, 2.06378531, 0.303742707, 1.29632509, 0.4801929,
         0.780325532, 0.138906285, 0.511197448},
        {0.000206138269, -1.34332168, 0.354763836, -0.601734936, -0.269017726, -0.431218743,
         1.85679746, -0.251360446, -0.25819245, -0.571434677});
}

TEST(RandomStandardNormal, Double) {
  Check<double>("RandomStandardNormal", 1e-14,
        {0.58105877128257999, -1.557429113677359, 1.5558969982659241, -0.075399501712154163,
         -0.27352397455564637, 0.14851612905214345, -0.70350899499362385, -0.8442456397386755,
         0.67488688213359949, -0.11535112305042831},
        {1.6658369525525729, -0.19008399507490226, 1.7748397838705652, -1.9542490366569456,
         0.21958516116035195, 1.0336765056962247, 0.073374870364345854, -2.2700223211297756,
         0.30737595164572989, -1.8371015991465538});
}

TEST(RandomStandardNormal, Half) {
  Check<Half>("RandomStandardNormal", 1e-3,
        {-1.046875, 0.83984375, 1.23535156, 2.06445312, 0.303710938, 1.29589844, 0.480224609,
         0.780273438, 0.138916016, 0.511230469},
        {0.000206112862, -1.34375, 0.354736328, -0.6015625, -0.269042969, -0.431152344,
         1.85644531, -0.251464844, -0.258300781, -0.571289062});
}

TEST(TruncatedNormal, Float) {
  Check<float>("TruncatedNormal", 1e-6,
        {-1.04677927, 0.839704573, 1.23583639, 0.303742707, 0.388690919, 1.23670471,
         0.240398034, -0.157142594, -0.164025217, -0.99091047},
        {0.000206138269, -1.34332168, 0.354763836, -0.601734936, 0.405809969, 0.960870802,
         -1.25135446, 0.252414733, 1.70424688, 0.434905916});
}

TEST(TruncatedNormal, Double) {
  Check<double>("TruncatedNormal", 1e-14,
        {0.58105877128257999, -1.557429113677359, -1.1295845092323191, -0.51565300396928881,
         -1.1279218571369347, -0.55897853385391305, 1.0048697831995255, 0.2497394159769418,
         0.59969418033490596, 0.10393473627965567},
        {1.6658369525525729, -0.19008399507490226, -1.3413490605768832, -1.6140896142411729,
         -0.2439096517756926, -0.90676895346634556, 0.032163899573227968, -0.1351111405698594,
         0.56846190832315813, 0.6167959951551284});
}

TEST(TruncatedNormal, BFloat16) {
  Check<BFloat16>("TruncatedNormal", 8e-3,
        {-1.046875, 0.83984375, 1.234375, 0.3046875, 0.388671875, 1.234375, 0.240234375,
         -0.157226562, -0.1640625, -0.9921875},
        {0.000205993652, -1.34375, 0.35546875, -0.6015625, 0.40625, 0.9609375, -1.25,
         0.251953125, 1.703125, 0.435546875});
}

TEST(RandomUniformInt, Int32) {
  CheckSteps("RandomUniformInt",
             {Tensor::Vector<int32_t>({10}), Tensor::Scalar<int32_t>(-5),
              Tensor::Scalar<int32_t>(100)},
             Attrs(1, 2, "Tout", DType::kInt32),
             {MakeTensor<int32_t>({10}, {84, 75, 22, 54, 81, 56, 38, 38, 78, 95}),
              MakeTensor<int32_t>({10}, {75, 72, 98, 37, 57, 71, 65, 24, 75, 11})}, 0);
}

TEST(RandomUniformInt, Int64) {
  CheckSteps("RandomUniformInt",
             {Tensor::Vector<int64_t>({10}), Tensor::Scalar<int64_t>(-5),
              Tensor::Scalar<int64_t>(1000000000000000)},
             Attrs(1, 2, "Tout", DType::kInt64),
             {MakeTensor<int64_t>(
                 {10},
                 {990248698003064, 669816833411346, 932863528865077, 969556795886541,
                  733656294735598, 861645925061138, 606758917287786, 91542878894514,
                  956890383245334, 222196459331724}),
              MakeTensor<int64_t>(
                 {10},
                 {705108649856612, 91174586878175, 16766616813178, 959901579244924,
                  937854102965851, 663011764129117, 925065517553092, 8506818765966,
                  65494582046317, 760045908768634})}, 0);
}

TEST(RandomUniform, SeedsOfZeroDrawDifferentNumbers) {
  const std::vector<Tensor> shape = {Tensor::Vector<int32_t>({4})};
  const AttrMap attrs = Attrs(0, 0, "dtype", DType::kFloat);
  const auto first = RunRepeatedly(CpuDevice(), "RandomUniform", shape, attrs, 1);
  const auto second = RunRepeatedly(CpuDevice(), "RandomUniform", shape, attrs, 1);
  ASSERT_OK(first);
  ASSERT_OK(second);
  EXPECT_TRUE(Values((*first)[0]) != Values((*second)[0]));
}

// Enough numbers for several threads: moments, and limits that hold for each.
void CheckMoments(const std::string& op, double mean, double variance, double low, double high) {
  const auto steps = RunRepeatedly(CpuDevice(), op, {Tensor::Vector<int32_t>({300, 333})},
                                   Attrs(3, 4, "dtype", DType::kFloat), 1);
  ASSERT_OK(steps);
  const Numbers values = Values((*steps)[0]);
  double sum = 0;
  double squares = 0;
  for (const double value : values) {
    sum += value;
    squares += (value - mean) * (value - mean);
  }
  const double count = static_cast<double>(values.size());
  EXPECT_NEAR(sum / count, mean, 0.02);
  EXPECT_NEAR(squares / count, variance, 0.02);
  EXPECT_TRUE(*std::min_element(values.begin(), values.end()) >= low);
  EXPECT_TRUE(*std::max_element(values.begin(), values.end()) < high);
}

TEST(RandomUniform, Moments) { CheckMoments("RandomUniform", 0.5, 1.0 / 12, 0, 1); }
TEST(RandomStandardNormal, Moments) { CheckMoments("RandomStandardNormal", 0, 1, -6, 6); }
TEST(TruncatedNormal, Moments) { CheckMoments("TruncatedNormal", 0, 0.774, -2, 2); }

TEST(RandomUniform, Empty) {
  OpTest("RandomUniform")
      .Input(Tensor::Vector<int32_t>({0, 3}))
      .Attr("dtype", DType::kFloat)
      .Expect(MakeTensor<float>({0, 3}, {}))
      .Run();
}

TEST(RandomUniform, RejectsNegativeDimension) {
  OpTest("RandomUniform")
      .Input(Tensor::Vector<int32_t>({2, -3}))
      .Attr("dtype", DType::kFloat)
      .RunExpectingError(Code::kInvalidArgument, "negative");
}

TEST(RandomUniform, RejectsHugeShape) {
  OpTest("RandomUniform")
      .Input(Tensor::Vector<int64_t>({int64_t{1} << 40, int64_t{1} << 40}))
      .Attr("dtype", DType::kFloat)
      .RunExpectingError(Code::kInvalidArgument, "too many");
}

TEST(RandomUniformInt, RejectsEmptyRange) {
  OpTest("RandomUniformInt")
      .Input(Tensor::Vector<int32_t>({2}))
      .Input(Tensor::Scalar<int32_t>(3))
      .Input(Tensor::Scalar<int32_t>(3))
      .RunExpectingError(Code::kInvalidArgument, "minval < maxval");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
