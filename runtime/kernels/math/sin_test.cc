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
void MatchesTheLibrary(const Case& test, double tolerance) {
  std::vector<double> x, y;
  for (int64_t i = 0; i < 9000; ++i) {
    x.push_back(static_cast<double>(static_cast<T>(static_cast<double>(i - 4500) / 1000)));
    y.push_back(test.function(x.back()));
  }
  OpTest(test.op).Input(MakeTensor<T>({9000}, x)).Expect(MakeTensor<T>({9000}, y))
      .Tolerance(tolerance).Run();
}

TEST(Sin, MatchesTheLibrary) {
  for (const Case& test : kCases) {
    MatchesTheLibrary<float>(test, 1e-5);
    MatchesTheLibrary<double>(test, 1e-12);
    MatchesTheLibrary<Half>(test, 2e-3);
    MatchesTheLibrary<BFloat16>(test, 1e-2);
  }
}

TEST(Expm1, KeepsSmallArguments) {
  OpTest("Expm1").Input(MakeTensor<double>({2}, {1e-20, -1e-20}))
      .Expect(MakeTensor<double>({2}, {1e-20, -1e-20})).Tolerance(1e-32).Run();
  OpTest("Expm1").Input(MakeTensor<float>({3}, {-INFINITY, INFINITY, NAN}))
      .Expect(MakeTensor<float>({3}, {-1, INFINITY, NAN})).Run();
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
