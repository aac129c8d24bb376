// The expected numbers of AsInTensorFlow are those of TensorFlow 2.21.
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(Lgamma, AsInTensorFlow) {
  OpTest("Lgamma")
      .Input(MakeTensor<double>({8}, {-2.5, -.5, .1, .7, 1, 3.3, 20, 1e-3}))
      .Expect(MakeTensor<double>({8}, {
    -0.05624371649767407, 1.2655121234846454, 2.2527126517342055, 0.2608672465316666, 0.0,
    0.9870985778947343, 39.339884187199495, 6.907178885383853}))
      .Within(Slack(1e-14, "sums of many terms", 40))
      .Run();
}

TEST(Digamma, AsInTensorFlow) {
  OpTest("Digamma")
      .Input(MakeTensor<double>({8}, {-2.5, -.5, .1, .7, 1, 3.3, 20, 1e-3}))
      .Expect(MakeTensor<double>({8}, {
    1.1031566406452433, 0.03648997397857645, -10.423754940411076, -1.220023553697935,
    -0.5772156649015323, 1.0348224890596216, 2.970523992242149, -1000.5755719318104}))
      .Within(Slack(1e-14, "sums of many terms", 40))
      .Run();
}

TEST(Erfc, AsInTensorFlow) {
  OpTest("Erfc")
      .Input(MakeTensor<double>({8}, {-2.5, -.5, .1, .7, 1, 3.3, 20, 1e-3}))
      .Expect(MakeTensor<double>({8}, {
    1.999593047982555, 1.5204998778130467, 0.8875370839817152, 0.32219880616258145,
    0.15729920705028522, 3.057709796438166e-06, 5.3958656116079026e-176, 0.9988716212090307}))
      .Within(Slack(1e-14, "sums of many terms", 40))
      .Run();
}

TEST(Digamma, KeepsItsDigitsBesideItsPoles) {
  OpTest("Digamma")
      .Input(MakeTensor<double>({2}, {-0.9999999999999, -30.000000138504273}))
      .Expect(MakeTensor<double>({2}, {-9996891514695.4618, 7219997.276271641}))
      .Within(Slack(1e-14, "sums of many terms", 40))
      .Run();
}

TEST(Igamma, AsInTensorFlow) {
  OpTest("Igamma")
      .Input(MakeTensor<double>({8}, {2.5, .5, .1, .7, 1, 3.3, 20, 1e-3}))
      .Input(MakeTensor<double>({8}, {.3, 2, 5, .7, 1, 9, 15, 2}))
      .Expect(MakeTensor<double>({8}, {
    0.011996757205906265, 0.9544997361036415, 0.9998560610341533, 0.6565890602595039,
    0.6321205588285578, 0.9906841597564863, 0.12478121503252494, 0.999951023082169}))
      .Within(Slack(1e-14, "sums of many terms", 40))
      .Run();
}

TEST(Igammac, AsInTensorFlow) {
  OpTest("Igammac")
      .Input(MakeTensor<double>({8}, {2.5, .5, .1, .7, 1, 3.3, 20, 1e-3}))
      .Input(MakeTensor<double>({8}, {.3, 2, 5, .7, 1, 9, 15, 2}))
      .Expect(MakeTensor<double>({8}, {
    0.9880032427940937, 0.04550026389635857, 0.00014393896584673397, 0.3434109397404961,
    0.36787944117144233, 0.009315840243513765, 0.8752187849674751, 4.8976917830981356e-05}))
      .Within(Slack(1e-14, "sums of many terms", 40))
      .Run();
}

// Where 1 - Igamma would lose its digits; the values are mpmath's, with 40 digits.
TEST(Igammac, KeepsItsDigitsWhereItIsSmall) {
  OpTest("Igammac")
      .Input(MakeTensor<double>({4}, {1e-10, 1e-10, .3, .5}))
      .Input(MakeTensor<double>({4}, {1, 1e-5, .6, 1.4}))
      .Expect(MakeTensor<double>({4}, {
    2.1938393441796779e-11, 1.0935719794146443e-09, 0.15678856798265575, 0.094264306841210313}))
      .Within(Slack(1e-14, "sums of many terms", 40))
      .Run();
}

TEST(IgammaGradA, AsInTensorFlow) {
  OpTest("IgammaGradA")
      .Input(MakeTensor<double>({8}, {2.5, .5, .1, .7, 1, 3.3, 20, 1e-3}))
      .Input(MakeTensor<double>({8}, {.3, 2, 5, .7, 1, 9, 15, 2}))
      .Expect(MakeTensor<double>({8}, {
    -0.027981574279413723, -0.13561933520399783, -0.001753947315557889, -0.5305165628686144,
    -0.43172971063489896, -0.011987295384647137, -0.04851376809420057, -0.04905334583936489}))
      .Within(Slack(1e-14, "sums of many terms", 40))
      .Run();
}

TEST(Polygamma, AsInTensorFlow) {
  OpTest("Polygamma")
      .Input(MakeTensor<double>({8}, {0, 1, 2, 3, 4, 1, 2, 3}))
      .Input(MakeTensor<double>({8}, {.3, 2, 5, .7, 1, 9, 15, 2}))
      .Expect(MakeTensor<double>({8}, {
    -3.502524222200133, 0.6449340668482266, -0.04878973224511449, 25.879149678427744,
    -24.886266123440894, 0.11751201469403141, -0.004750602716551555, 0.4939394022668293}))
      .Within(Slack(1e-14, "sums of many terms", 40))
      .Run();
}

TEST(Betainc, AsInTensorFlow) {
  OpTest("Betainc")
      .Input(MakeTensor<double>({8}, {2.5, .5, .1, .7, 1, 3.3, 20, 1e-3}))
      .Input(MakeTensor<double>({8}, {.3, 2, 5, .7, 1, 9, 15, 2}))
      .Input(MakeTensor<double>({8}, {.1, .2, .5, .9, .3, .99, .5, .01}))
      .Expect(MakeTensor<double>({8}, {
    0.0005618096787976625, 0.6260990336999411, 0.998744026761861, 0.8479697284805189, 0.3,
    0.9999999999999999, 0.19576415256596932, 0.9963908687147055}))
      .Within(Slack(1e-14, "sums of many terms", 40))
      .Run();
}

TEST(Zeta, EndsWhereAllPowersAreTooSmall) {
  OpTest("Zeta")
      .Input(MakeTensor<double>({3}, {1099511627777.0, 1e12, 2}))
      .Input(MakeTensor<double>({3}, {4460316908.0, 2.0, INFINITY}))
      .Expect(MakeTensor<double>({3}, {0, 0, 0}))
      .Run();
}

TEST(Zeta, SumsPowers) {
  OpTest("Zeta")
      .Input(MakeTensor<double>({5}, {2, 2, 1, 4, 3}))
      .Input(MakeTensor<double>({5}, {1, 0.5, 3, -0.5, -1e12 - 0.5}))
      .Expect(MakeTensor<double>({5}, {1.6449340668482264, 4.934802200544679, INFINITY,
                                       32.23484850566707, 0}))
      .Within(Slack(1e-12, "the last one is what both sides leave"))
      .Run();
}

TEST(Special, Borders) {
  const double nan = NAN, infinity = INFINITY;
  OpTest("Digamma").Input(MakeTensor<double>({3}, {-1, nan, 1e300}))
      .Expect(MakeTensor<double>({3}, {nan, nan, 690.7755278982137})).Run();
  OpTest("Igamma").Input(MakeTensor<double>({5}, {1, 0, -1, 1, infinity}))
      .Input(MakeTensor<double>({5}, {0, 1, 1, infinity, 1}))
      .Expect(MakeTensor<double>({5}, {0, nan, nan, 1, 0})).Run();
  OpTest("Betainc").Input(Tensor::Scalar<double>(2)).Input(Tensor::Scalar<double>(3))
      .Input(MakeTensor<double>({4}, {0, 1, -1, 2}))
      .Expect(MakeTensor<double>({4}, {0, 1, nan, nan})).Run();
}

TEST(Special, OtherTypes) {
#define CASE(T)                                                                             \
  OpTest("Lgamma").Input(MakeTensor<T>({2}, {1, 5})).Expect(MakeTensor<T>({2}, {0, std::log(24.)})) \
      .Run();                                                                               \
  OpTest("Erfc").Input(MakeTensor<T>({1}, {0})).Expect(MakeTensor<T>({1}, {1})).Run();      \
  OpTest("Igamma").Input(MakeTensor<T>({1}, {1})).Input(MakeTensor<T>({2}, {1, 2}))         \
      .Expect(MakeTensor<T>({2}, {1 - std::exp(-1.), 1 - std::exp(-2.)})).Run();
  TFBUILD_FLOATING_TYPES(CASE)
#undef CASE
}

TEST(Betainc, RejectsOtherShapes) {
  OpTest("Betainc").Input(MakeTensor<float>({2}, {1, 1})).Input(MakeTensor<float>({3}, {1, 1, 1}))
      .Input(Tensor::Scalar<float>(1)).RunExpectingError(Code::kInvalidArgument, "");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
