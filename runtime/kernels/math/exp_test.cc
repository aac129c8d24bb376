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

// Against the C library in double, at `count` points: few go through the plain loop, many through
// the vectorised one where there is one.
template <typename T>
void MatchesTheLibrary(const Case& test, int64_t count, double tolerance) {
  std::vector<double> x, y;
  for (int64_t i = 0; i < count; ++i) {
    const double step = static_cast<double>(i) / static_cast<double>(count);
    x.push_back(static_cast<double>(static_cast<T>(test.low + (test.high - test.low) * step)));
    y.push_back(test.function(x.back()));
  }
  OpTest(test.op).Input(MakeTensor<T>({count}, x)).Expect(MakeTensor<T>({count}, y))
      .Tolerance(tolerance).Run();
}

TEST(Exp, MatchesTheLibrary) {
  for (const Case& test : kCases) {
    for (const int64_t count : {7, 100000}) {
      MatchesTheLibrary<float>(test, count, 1e-5);
      MatchesTheLibrary<double>(test, count, 1e-12);
      MatchesTheLibrary<Half>(test, count, 1e-3);
      MatchesTheLibrary<BFloat16>(test, count, 8e-3);
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

}  // namespace
}  // namespace testing
}  // namespace tfbuild
