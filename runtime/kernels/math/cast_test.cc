#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

template <typename Src, typename Dst>
void Cast(const std::vector<double>& x, const std::vector<double>& y) {
  const Shape shape{static_cast<int64_t>(x.size())};
  OpTest("Cast").Input(MakeTensor<Src>(shape, x)).Attr("DstT", DTypeOf<Dst>::value)
      .Expect(MakeTensor<Dst>(shape, y)).Run();
}

template <typename Src>
void ToEveryType() {
#define CASE(Dst) Cast<Src, Dst>({0, 1, 2, 100}, {0, 1, 2, 100});
  TFBUILD_NUMBER_TYPES(CASE)
#undef CASE
  Cast<Src, bool>({0, 1, 2, 100}, {0, 1, 1, 1});
}

TEST(Cast, EveryPair) {
#define CASE(Src)                            \
  ToEveryType<Src>();                        \
  Cast<bool, Src>({0, 1}, {0, 1});
  TFBUILD_NUMBER_TYPES(CASE)
#undef CASE
  Cast<bool, bool>({0, 1}, {0, 1});
}

// As TensorFlow gives on x86.
TEST(Cast, FloatsToIntegers) {
  Cast<float, int32_t>({300.7, -1.5, NAN, 1e20, -1e20},
                       {300, -1, -2147483648.0, -2147483648.0, -2147483648.0});
  Cast<float, uint8_t>({300.7, -1.5, NAN, 1e20}, {44, 255, 0, 0});
  Cast<double, int64_t>({-2.9, 4503599627370497.0}, {-2, 4503599627370497.0});
  // The largest and the smallest that fit.
  Cast<float, int32_t>({2147483520.0, -2147483648.0}, {2147483520.0, -2147483648.0});
  Cast<Half, int8_t>({-2.5, 127}, {-2, 127});
}

TEST(Cast, ToBool) { Cast<float, bool>({0, -0.0, 0.5, NAN}, {0, 0, 1, 1}); }

TEST(Cast, RoundsToTheNearest) {
  Cast<float, Half>({2049, 2051, 1e6}, {2048, 2052, INFINITY});
  Cast<double, float>({16777217}, {16777216});
  Cast<float, BFloat16>({1.00390625, 1.01171875}, {1, 1.015625});
}

TEST(Cast, TruncatesWhenAsked) {
  const auto truncate = [](const Tensor& x, const Tensor& y) {
    OpTest("Cast").Input(x).Attr("DstT", y.dtype()).Attr("Truncate", true).Expect(y).Within(Ulps(0))
        .Run();
  };
  truncate(MakeTensor<float>({2}, {1.00390625, 1.01171875}),
           MakeTensor<BFloat16>({2}, {1, 1.0078125}));
  truncate(MakeTensor<float>({2}, {2049.9, -2051}), MakeTensor<Half>({2}, {2048, -2050}));
  truncate(MakeTensor<double>({1}, {16777219}), MakeTensor<float>({1}, {16777218}));
  truncate(MakeTensor<Half>({1}, {1.0146484375}), MakeTensor<BFloat16>({1}, {1.0078125}));
}

TEST(Cast, RejectsStrings) {
  OpTest("Cast").Input(Tensor::Strings({1}, {"1"})).Attr("DstT", DType::kFloat)
      .RunExpectingError(Code::kUnimplemented, "Cast string to float");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
