#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

struct Case {
  const char* op;
  double (*function)(double);
  double low;
  double high;
};

constexpr Case kCases[] = {
    {"Exp", [](double x) { return std::exp(x); }, -20, 10},
    {"Log", [](double x) { return std::log(x); }, 1e-3, 50},
    {"Log1p", [](double x) { return std::log1p(x); }, -0.9, 50},
    {"Erf", [](double x) { return std::erf(x); }, -4, 4},
};

// Against the C library in double, at `count` points: few are the rest of a vector.
template <typename T>
void MatchesTheLibrary(const Case& test, int64_t count) {
  std::vector<double> x, y;
  for (int64_t i = 0; i < count; ++i) {
    const double step = static_cast<double>(i) / static_cast<double>(count);
    x.push_back(static_cast<double>(static_cast<T>(test.low + (test.high - test.low) * step)));
    y.push_back(test.function(x.back()));
  }
  OpTest(test.op).Input(MakeTensor<T>({count}, x)).Expect(MakeTensor<T>({count}, y))
      .Within(Ulps(std::is_same<T, float>::value ? 2 : 1)).Run();
}

TEST(Exp, MatchesTheLibrary) {
  for (const Case& test : kCases) {
    for (const int64_t count : {7, 20000}) {
      MatchesTheLibrary<float>(test, count);
      MatchesTheLibrary<double>(test, count);
      MatchesTheLibrary<Half>(test, count);
      MatchesTheLibrary<BFloat16>(test, count);
    }
  }
}

// The same at the ends of the range, whichever loop computes it.
TEST(Exp, AtTheEnds) {
  for (const int64_t count : {1, 5000}) {
    const auto fill = [count](double value) {
      return MakeTensor<float>({count}, std::vector<double>(static_cast<size_t>(count), value));
    };
    OpTest("Exp").Input(fill(-INFINITY)).Expect(fill(0)).Run();
    OpTest("Exp").Input(fill(INFINITY)).Expect(fill(INFINITY)).Run();
    OpTest("Exp").Input(fill(1000)).Expect(fill(INFINITY)).Run();
    OpTest("Log").Input(fill(0)).Expect(fill(-INFINITY)).Run();
    OpTest("Log").Input(fill(-1)).Expect(fill(NAN)).Run();
    OpTest("Log").Input(fill(INFINITY)).Expect(fill(INFINITY)).Run();
    for (const Case& test : kCases) OpTest(test.op).Input(fill(NAN)).Expect(fill(NAN)).Run();
  }
}

// Next to 1 and among the smallest numbers, in few elements and in many.
TEST(Log, WhereItIsHard) {
  const std::vector<double> few = {1.0000001, 0.9999975, 0.99999994, 1e-40, 1e-45, 1.17549435e-38,
                                   3.4028234e38};
  for (const size_t count : {few.size(), size_t{5000}}) {
    std::vector<double> x, y;
    for (size_t i = 0; i < count; ++i) {
      x.push_back(static_cast<double>(static_cast<float>(few[i % few.size()])));
      y.push_back(std::log(x.back()));
    }
    const Shape shape{static_cast<int64_t>(count)};
    OpTest("Log").Input(MakeTensor<float>(shape, x)).Expect(MakeTensor<float>(shape, y)).Run();
  }
}

// Few numbers that are not usual, among many that are; the result may take the argument's memory.
TEST(Log, OfRareNumbersAmongUsualOnes) {
  const std::vector<double> rare = {0, -0.0, -1, 1e-40, INFINITY, -INFINITY, NAN};
  std::vector<double> x, y;
  for (size_t i = 0; i < 5000; ++i) {
    x.push_back(i % 701 == 0 ? rare[i / 701 % rare.size()] : 0.25 * static_cast<double>(i));
    x.back() = static_cast<double>(static_cast<float>(x.back()));
    y.push_back(std::log(x.back()));
  }
  OpTest("Log").Input(MakeTensor<float>({5000}, x)).Expect(MakeTensor<float>({5000}, y))
      .Within(Ulps(2)).Run();
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
