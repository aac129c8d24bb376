// Expected numbers are TensorFlow's.
#include <algorithm>
#include <cmath>

#include "tensor/complex.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

template <typename T>
Tensor ComplexTensor(const Shape& shape, const std::vector<std::complex<T>>& values) {
  Tensor tensor = *Tensor::Allocate(CpuAllocator(), DTypeOf<std::complex<T>>::value, shape);
  std::copy(values.begin(), values.end(), tensor.mutable_data<std::complex<T>>());
  return tensor;
}

// Checks real and imaginary parts; those of float are within 1e-5.
template <typename T>
void ExpectSpectrum(OpTest test, const std::vector<std::complex<T>>& expected, double slack) {
  const auto outputs = test.RunOnCpu();
  ASSERT_OK(outputs);
  const Tensor& found = (*outputs)[0];
  EXPECT_EQ(found.num_elements(), static_cast<int64_t>(expected.size()));
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(found.data<std::complex<T>>()[i].real(), expected[i].real(), slack);
    EXPECT_NEAR(found.data<std::complex<T>>()[i].imag(), expected[i].imag(), slack);
  }
}

// The transform by its definition.
template <typename T>
std::vector<std::complex<T>> Definition(const std::vector<std::complex<T>>& values, double sign) {
  const size_t size = values.size();
  std::vector<std::complex<T>> sums(size);
  for (size_t k = 0; k < size; ++k) {
    std::complex<double> sum = 0;
    for (size_t j = 0; j < size; ++j) {
      const double turn = sign * 2 * 3.14159265358979323846 * static_cast<double>(j * k % size);
      sum += std::complex<double>(values[j]) * std::polar(1.0, turn / static_cast<double>(size));
    }
    sums[k] = std::complex<T>(sum);
  }
  return sums;
}

// Numbers that are nowhere alike.
template <typename T>
std::vector<std::complex<T>> Wave(int64_t size) {
  std::vector<std::complex<T>> values;
  for (int64_t i = 0; i < size; ++i) {
    const double x = static_cast<double>(i);
    values.emplace_back(static_cast<T>(std::sin(1.7 * x + 0.3)), static_cast<T>(std::cos(x * x)));
  }
  return values;
}

template <typename T>
void CheckLength(int64_t size, double slack) {
  const auto values = Wave<T>(size);
  const DType type = DTypeOf<std::complex<T>>::value;
  ExpectSpectrum(OpTest("FFT").Input(ComplexTensor<T>({size}, values)).Attr("Tcomplex", type),
                 Definition(values, -1), slack);
  auto inverse = Definition(values, 1);
  for (auto& value : inverse) value /= static_cast<T>(size);
  ExpectSpectrum(OpTest("IFFT").Input(ComplexTensor<T>({size}, values)).Attr("Tcomplex", type),
                 inverse, slack);
}

TEST(Fft, EveryKindOfLength) {
  for (const int64_t size : {1, 2, 3, 4, 5, 6, 8, 13, 16, 17, 35, 60, 97, 128, 289, 1009}) {
    CheckLength<double>(size, 1e-11);
    CheckLength<float>(size, 2e-4);
  }
}

TEST(Fft, TwoDirections) {
  ExpectSpectrum<float>(OpTest("FFT2D").Input(ComplexTensor<float>({2, 3}, {{0.280000001,
                        -0.519999981}, {-0.649999976, 0.560000002}, {-0.74000001, -0.479999989},
                        {-0.170000002, -0.460000008}, {1.90999997, 0.860000014}, {0.810000002,
                        -0.529999971}})),
                 {{1.43999994, -0.569999933}, {1.5494417, -2.21557021}, {-2.65944147,
                 -0.154429853}, {-3.65999985, -0.310000002}, {2.20189095, 0.939685583},
                 {2.80810881, -0.809685528}},
                 2e-6);
  ExpectSpectrum<float>(OpTest("IFFT2D").Input(ComplexTensor<float>({2, 3}, {{-1.67999995,
                        0.730000019}, {-0.910000026, 0.430000007}, {0.0900000036, -0.150000006},
                        {0.129999995, 0.839999974}, {1.24000001, 0.49000001}, {-0.720000029,
                        -0.860000014}})),
                 {{-0.308333337, 0.24666667}, {-0.511904836, 0.407730728}, {0.045238167,
                 0.130602598}, {-0.525000036, 0.0900000036}, {-0.0788600892, -0.4997392},
                 {-0.301139921, 0.354739189}},
                 2e-6);
}

TEST(Fft, ThreeDirections) {
  ExpectSpectrum<float>(OpTest("FFT3D").Input(ComplexTensor<float>({2, 3, 2}, {{1.07000005,
                        -1.29999995}, {-1.22000003, 2.68000007}, {0.0599999987, -0.0700000003},
                        {0, -1.49000001}, {0.419999987, 1.40999997}, {-0.730000019, -1.07000005},
                        {-0.0299999993, 0.370000005}, {-0.140000001, 0.860000014}, {1,
                        -0.649999976}, {-0.800000012, -0.430000007}, {0.0700000003, -0.540000021},
                        {-0.25999999, -0.129999995}})),
                 {{-0.560000002, -0.360000014}, {5.73999977, -1.19999993}, {-2.20051861,
                 3.43682098}, {-0.0234420896, -6.43408966}, {1.80051851, 4.75317955}, {1.48344207,
                 -5.77591085}, {-0.239999995, 0.679999948}, {1.26000023, 1.04000008},
                 {-1.14037788, -0.0976792574}, {1.55746794, -3.53797507}, {1.44037795,
                 -0.132320404}, {3.72253156, -7.97202539}},
                 2e-6);
  ExpectSpectrum<float>(OpTest("IFFT3D").Input(ComplexTensor<float>({2, 2, 3}, {{-1.62,
                        0.270000011}, {-1.24000001, 0.649999976}, {-0.140000001, -0.560000002},
                        {1.03999996, -0.589999974}, {0.629999995, -1.54999995}, {1.73000002,
                        -0.129999995}, {0.689999998, 0.25}, {-0.50999999, 0.449999988},
                        {-0.119999997, -0.779999971}, {-2.02999997, 1.99000001}, {-0.959999979,
                        1.20000005}, {-1.01999998, -0.100000001}})),
                 {{-0.295833349, 0.0916666985}, {-0.259514928, 0.0115796477}, {0.0753482655,
                 0.376753688}, {-0.19416666, -0.0450000167}, {-0.0801687539, -0.119975954},
                 {0.289335459, -0.0550240353}, {0.362500072, -0.410000026}, {0.111492455,
                 -0.249955639}, {-0.283992499, 0.0199556202}, {-0.872500062, 0.483333349},
                 {-0.431105703, 0.115809292}, {-0.0413943008, 0.0508573875}},
                 2e-6);
}

TEST(Rfft, Lengths) {
  ExpectSpectrum<float>(OpTest("RFFT").Input(MakeTensor<float>({2, 5}, {-0.529999971,
                        -0.319999993, 0.150000006, -0.0199999996, 0.479999989, 0.769999981, 1.37,
                        1.14999998, -0.109999999, 0.389999986})).Input(MakeTensor<int32_t>({1},
                        {5})),
                 {{-0.239999965, 0}, {-0.58572948, 0.660921693}, {-0.619270444, 0.631907761},
                 {3.56999993, 0}, {0.472492278, -1.67264485}, {-0.332492322, 0.622301698}},
                 2e-6);
  ExpectSpectrum<float>(OpTest("RFFT").Input(MakeTensor<float>({2, 5}, {-0.389999986,
                        -0.589999974, 1.90999997, -0.460000008, 1.99000001, -0.349999994, 0.25,
                        1.09000003, 0.0199999996, 0.389999986})).Input(MakeTensor<int32_t>({1},
                        {4})),
                 {{0.470000029, 0}, {-2.29999995, 0.129999965}, {2.56999993, 0}, {1.00999999, 0},
                 {-1.44000006, -0.230000004}, {0.469999999, 0}},
                 2e-6);
  ExpectSpectrum<float>(OpTest("RFFT2D").Input(MakeTensor<float>({3, 4}, {-0.239999995,
                        -0.479999989, -0.170000002, -0.649999976, 1.63, -0.170000002, 1.72000003,
                        -2.69000006, 0.0199999996, 0.560000002, -0.289999992,
                        1.09000003})).Input(MakeTensor<int32_t>({2}, {3, 4})),
                 {{0.329999924, 0}, {0.149999976, -2.16000009}, {5.01000023, 0}, {-2.4749999,
                 0.77076292}, {-2.82137752, 1.1714102}, {-1.42499995, -7.04078674}, {-2.4749999,
                 -0.77076292}, {2.46137738, 0.478589863}, {-1.42499995, 7.04078674}},
                 2e-6);
  ExpectSpectrum<float>(OpTest("RFFT3D").Input(MakeTensor<float>({2, 2, 3}, {0.639999986,
                        -0.270000011, 0.439999998, 2.80999994, 0.25, 0.300000012, -0.439999998,
                        0.129999995, -1.28999996, -0.200000003, 2.46000004,
                        1.07000005})).Input(MakeTensor<int32_t>({3}, {2, 2, 3})),
                 {{5.9000001, 0}, {1.26499963, -1.775352}, {-7.48000002, 0}, {0.125000298,
                 0.545596123}, {2.43999958, 0}, {4.91499996, 3.09171057}, {2.38000011, 0},
                 {-4.08500004, 0.597557545}},
                 2e-6);
}

TEST(Irfft, Lengths) {
  OpTest("IRFFT")
      .Input(ComplexTensor<float>({2, 4}, {{0.639999986, -2.3599999}, {1.10000002, -0.569999993},
          {1.88, 0.270000011}, {0.589999974, -0.910000026}, {2.06999993, -0.159999996},
          {1.07000005, -0.639999986}, {0.170000002, -0.649999976}, {1.72000003, 2.71000004}}))
      .Input(MakeTensor<int32_t>({1}, {6}))
      .Expect(MakeTensor<float>({2, 6}, {1.19833338, -0.035064131, -0.049179554, 0.268333316,
          -0.534153819, -0.208269209, 1.04500008, 0.580724239, 0.42211327, -0.241666704,
          0.427886724, -0.164057598}))
      .Within(Slack(1e-6, "sums"))
      .Run();
  OpTest("IRFFT")
      .Input(ComplexTensor<float>({2, 4}, {{0.629999995, 0.769999981}, {-0.0500000007,
          0.119999997}, {1.32000005, -1.15999997}, {-0.239999995, 1.07000005}, {0.889999986,
          -0.870000005}, {0.349999994, 1.62}, {1.63, 0.50999999}, {-1.41999996, 0.699999988}}))
      .Input(MakeTensor<int32_t>({1}, {5}))
      .Expect(MakeTensor<float>({2, 5}, {0.634000003, -0.0802596807, -0.164162621, 0.774845243,
          -0.534422994, 0.969999969, -1.04240954, 0.0793473944, 0.453085989, 0.429976195}))
      .Within(Slack(1e-6, "sums"))
      .Run();
  OpTest("IRFFT2D")
      .Input(ComplexTensor<float>({3, 3}, {{0.0799999982, 1.84000003}, {0.899999976, 2.31999993},
          {-1.87, -0.209999993}, {0.0700000003, -0.00999999978}, {-0.629999995, 0.289999992},
          {0.280000001, 1.25999999}, {-0.0500000007, 1.89999998}, {0.620000005, -1.21000004},
          {-0.839999974, -0.620000005}}))
      .Input(MakeTensor<int32_t>({2}, {3, 4}))
      .Expect(MakeTensor<float>({3, 4}, {-0.0458333306, -0.022499999, -0.342499971, 0.444166631,
          -0.190174624, 0.128941625, -0.0588285923, 0.694764376, 0.238507971, -0.778941631,
          -0.496171415, 0.508568943}))
      .Within(Slack(1e-6, "sums"))
      .Run();
  OpTest("IRFFT3D")
      .Input(ComplexTensor<float>({2, 2, 3}, {{-1.05999994, -1.49000001}, {-1.11000001,
          -0.0500000007}, {-1.63999999, 0.370000005}, {0.360000014, -0.660000026}, {-1.15999997,
          1.62}, {1.5, 0.239999995}, {0.910000026, 0.449999988}, {-1.02999997, -0.860000014},
          {-1.02999997, -0.0399999991}, {-0.610000014, -0.159999996}, {1.39999998, -2.26999998},
          {-0.850000024, 0.289999992}}))
      .Input(MakeTensor<int32_t>({3}, {2, 2, 5}))
      .Expect(MakeTensor<float>({2, 2, 5}, {-0.412, 0.182523489, 0.244777128, -0.102193572,
          -0.0131070856, -0.564999998, 0.236530811, 0.0912136883, 0.0986910984, 0.163564458,
          -0.140000001, -0.740506291, -0.024671603, 0.459370464, 0.195807382, -0.195000008,
          0.434992522, -0.214318827, -0.663891733, -0.0967820436}))
      .Within(Slack(1e-6, "sums"))
      .Run();
}

TEST(Rfft, Malformed) {
  OpTest("RFFT")
      .Input(MakeTensor<float>({3}, {-1.78999996, -0.0299999993, -1.47000003}))
      .Input(MakeTensor<int32_t>({1}, {4}))
      .RunExpectingError(Code::kInvalidArgument, "at least 4");
  OpTest("RFFT")
      .Input(MakeTensor<float>({3}, {2.01999998, 0.330000013, 0.860000014}))
      .Input(MakeTensor<int32_t>({1}, {-1}))
      .RunExpectingError(Code::kInvalidArgument, "fft_length");
  OpTest("RFFT2D")
      .Input(MakeTensor<float>({3}, {0.920000017, -1.32000005, -2.27999997}))
      .Input(MakeTensor<int32_t>({2}, {1, 1}))
      .RunExpectingError(Code::kInvalidArgument, "rank");
  OpTest("RFFT")
      .Input(MakeTensor<float>({3}, {-0.330000013, 0.899999976, 0.0900000036}))
      .Input(MakeTensor<int32_t>({2}, {1, 1}))
      .RunExpectingError(Code::kInvalidArgument, "");
  OpTest("IRFFT")
      .Input(ComplexTensor<float>({3}, {{0.790000021, 0.289999992}, {0.939999998, 1.97000003},
          {-1.49000001, -0.569999993}}))
      .Input(MakeTensor<int32_t>({1}, {6}))
      .RunExpectingError(Code::kInvalidArgument, "at least 4");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
