#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

struct Case {
  const char* op;
  double (*function)(double);
};

constexpr Case kCases[] = {
    {"Sin", [](double x) { return std::sin(x); }},
    {"Cos", [](double x) { return std::cos(x); }},
    {"Expm1", [](double x) { return std::expm1(x); }},
};

template <typename T>
void MatchesTheLibrary(const Case& test) {
  std::vector<double> x, y;
  for (int64_t i = 0; i < 9000; ++i) {
    x.push_back(static_cast<double>(static_cast<T>(static_cast<double>(i - 4500) / 1000)));
    y.push_back(test.function(x.back()));
  }
  OpTest(test.op).Input(MakeTensor<T>({9000}, x)).Expect(MakeTensor<T>({9000}, y))
      .Within(Ulps(2)).Run();
}

TEST(Sin, MatchesTheLibrary) {
  for (const Case& test : kCases) {
    MatchesTheLibrary<float>(test);
    MatchesTheLibrary<double>(test);
    MatchesTheLibrary<Half>(test);
    MatchesTheLibrary<BFloat16>(test);
  }
}

// Above some angle not the vectorised formula has the answer; infinities and NaN are among them.
TEST(Sin, OfLargeAngles) {
  std::vector<double> x, sine, cosine;
  for (int i = 0; i < 3000; ++i) {
    const double angle = i % 7 == 0 ? i * 1e33 : i % 11 == 0 ? i * 700000.0 : i;
    x.push_back(static_cast<double>(static_cast<float>(i % 2 == 0 ? angle : -angle)));
  }
  x.insert(x.end(), {INFINITY, -INFINITY, NAN, -0.0});
  for (const double angle : x) sine.push_back(std::sin(angle));
  for (const double angle : x) cosine.push_back(std::cos(angle));
  const Shape shape{static_cast<int64_t>(x.size())};
  OpTest("Sin").Input(MakeTensor<float>(shape, x)).Expect(MakeTensor<float>(shape, sine)).Run();
  OpTest("Cos").Input(MakeTensor<float>(shape, x)).Expect(MakeTensor<float>(shape, cosine)).Run();
  OpTest("Sin").Input(MakeTensor<double>(shape, x)).Expect(MakeTensor<double>(shape, sine)).Run();
}

// The closest that floats come to multiples of pi / 2, where all places of pi count, and both zeros.
TEST(Sin, NextToMultiplesOfHalfPi) {
  std::vector<double> x, sine, cosine;
  for (int n = 0; n < 660000; n += 97) {
    const float angle = static_cast<float>(n * 1.5707963267948966);
    for (const float near : {std::nextafterf(angle, 0.0f), angle, std::nextafterf(angle, 2e6f)}) {
      x.push_back(static_cast<double>(n % 2 == 0 ? near : -near));
    }
  }
  x.push_back(-0.0);
  for (const double angle : x) sine.push_back(std::sin(angle));
  for (const double angle : x) cosine.push_back(std::cos(angle));
  const Shape shape{static_cast<int64_t>(x.size())};
  OpTest("Sin").Input(MakeTensor<float>(shape, x)).Expect(MakeTensor<float>(shape, sine))
      .Within(Ulps(2)).Run();
  OpTest("Cos").Input(MakeTensor<float>(shape, x)).Expect(MakeTensor<float>(shape, cosine))
      .Within(Ulps(2)).Run();
}

TEST(Expm1, KeepsSmallArguments) {
  OpTest("Expm1").Input(MakeTensor<double>({2}, {1e-20, -1e-20}))
      .Expect(MakeTensor<double>({2}, {1e-20, -1e-20})).Run();
  OpTest("Expm1").Input(MakeTensor<float>({3}, {-INFINITY, INFINITY, NAN}))
      .Expect(MakeTensor<float>({3}, {-1, INFINITY, NAN})).Run();
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
