#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

struct Case {
  const char* op;
  double (*function)(double);
};

constexpr Case kCases[] = {
    {"Tanh", [](double x) { return std::tanh(x); }},
    {"Sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }},
    {"Softplus", [](double x) { return std::log1p(std::exp(x)); }},
};

template <typename T>
void MatchesTheLibrary(const Case& test, int64_t count, double ulps) {
  std::vector<double> x, y;
  for (int64_t i = 0; i < count; ++i) {
    const double step = static_cast<double>(i) / static_cast<double>(count);
    x.push_back(static_cast<double>(static_cast<T>(-12 + 24 * step)));
    y.push_back(test.function(x.back()));
  }
  OpTest(test.op).Input(MakeTensor<T>({count}, x)).Expect(MakeTensor<T>({count}, y))
      .Within(Ulps(ulps)).Run();
}

TEST(Tanh, MatchesTheLibrary) {
  for (const Case& test : kCases) {
    for (const int64_t count : {7, 20000}) {
      MatchesTheLibrary<float>(test, count, 2);
      MatchesTheLibrary<double>(test, count, 3);
      MatchesTheLibrary<Half>(test, count, 1);
      MatchesTheLibrary<BFloat16>(test, count, 1);
    }
  }
}

TEST(Tanh, AtTheEnds) {
  for (const int64_t count : {1, 5000}) {
    const auto fill = [count](double value) {
      return MakeTensor<float>({count}, std::vector<double>(static_cast<size_t>(count), value));
    };
    OpTest("Tanh").Input(fill(-100)).Expect(fill(-1)).Run();
    OpTest("Tanh").Input(fill(INFINITY)).Expect(fill(1)).Run();
    OpTest("Sigmoid").Input(fill(-1000)).Expect(fill(0)).Run();
    OpTest("Sigmoid").Input(fill(1000)).Expect(fill(1)).Run();
    OpTest("Softplus").Input(fill(100)).Expect(fill(100)).Run();
    OpTest("Softplus").Input(fill(-1000)).Expect(fill(0)).Run();
    for (const double nan : {NAN, -NAN}) {
      for (const Case& test : kCases) OpTest(test.op).Input(fill(nan)).Expect(fill(NAN)).Run();
    }
  }
}

TEST(TanhGrad, Formulas) {
#define CASE(T)                                                                       \
  OpTest("TanhGrad").Input(MakeTensor<T>({2}, {0.5, 1})).Input(MakeTensor<T>({2}, {2, 3})) \
      .Expect(MakeTensor<T>({2}, {1.5, 0})).Run();                                    \
  OpTest("SigmoidGrad").Input(MakeTensor<T>({2}, {0.5, 0.25})).Input(MakeTensor<T>({2}, {2, 4})) \
      .Expect(MakeTensor<T>({2}, {0.5, 0.75})).Run();                                 \
  OpTest("SoftplusGrad").Input(MakeTensor<T>({2}, {3, 5})).Input(MakeTensor<T>({2}, {0, 100})) \
      .Expect(MakeTensor<T>({2}, {1.5, 5})).Run();
  TFBUILD_FLOATING_TYPES(CASE)
#undef CASE
}

TEST(TanhGrad, RejectsDifferentShapes) {
  OpTest("TanhGrad").Input(MakeTensor<float>({2}, {1, 2})).Input(MakeTensor<float>({1}, {1}))
      .RunExpectingError(Code::kInvalidArgument, "same shape");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
