#include <cmath>
#include <complex>
#include <functional>

#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

template <typename T>
Tensor Numbers(DType type, const std::vector<std::complex<T>>& values) {
  Tensor tensor = *Tensor::Allocate(CpuAllocator(), type, {static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), tensor.mutable_data<std::complex<T>>());
  return tensor;
}

using Wide = std::complex<double>;
constexpr Wide kI(0, 1);
using Function = std::function<Wide(Wide)>;

const std::vector<Wide> kPlaces = {{0.5, 0.25}, {-1.5, 2}, {3, -0.125}, {-0.75, -4}, {2, 0}};

template <typename T>
void Agrees(const char* op, DType type, const Function& function, double tolerance) {
  const std::vector<std::complex<T>> x(kPlaces.begin(), kPlaces.end());
  const auto results = OpTest(op).Input(Numbers<T>(type, x)).RunOn(CpuDevice());
  ASSERT_OK(results);
  for (size_t i = 0; i < x.size(); ++i) {
    const Wide wanted = function(kPlaces[i]);
    const Wide found((*results)[0].template data<std::complex<T>>()[i]);
    EXPECT_TRUE(std::abs(found - wanted) <= tolerance * std::abs(wanted));
  }
}

TEST(ComplexFunctions, AreThoseOfAnalysis) {
  const std::vector<std::pair<const char*, Function>> functions = {
      {"Exp", [](Wide x) { return std::polar(std::exp(x.real()), x.imag()); }},
      {"Log", [](Wide x) { return Wide(std::log(std::abs(x)), std::arg(x)); }},
      {"Log1p", [](Wide x) { return std::log(1.0 + x); }},
      {"Expm1", [](Wide x) { return std::exp(x) - 1.0; }},
      {"Sqrt", [](Wide x) { return std::polar(std::sqrt(std::abs(x)), std::arg(x) / 2); }},
      {"Rsqrt", [](Wide x) { return std::polar(1 / std::sqrt(std::abs(x)), -std::arg(x) / 2); }},
      {"Sin", [](Wide x) { return (std::exp(x * kI) - std::exp(-x * kI)) / (2.0 * kI); }},
      {"Cos", [](Wide x) { return (std::exp(x * kI) + std::exp(-x * kI)) / 2.0; }},
      {"Tanh", [](Wide x) { return std::sinh(x) / std::cosh(x); }},
      {"Sigmoid", [](Wide x) { return std::exp(x) / (1.0 + std::exp(x)); }},
      {"Tan", [](Wide x) { return std::sin(x) / std::cos(x); }},
      {"Asin", [](Wide x) { return -kI * std::log(kI * x + std::sqrt(1.0 - x * x)); }},
      {"Acos", [](Wide x) { return std::acos(-1.0) / 2 + kI * std::log(kI * x + std::sqrt(1.0 - x * x)); }},
      {"Atan", [](Wide x) { return (std::log(1.0 + kI * x) - std::log(1.0 - kI * x)) / (2.0 * kI); }},
      {"Sinh", [](Wide x) { return (std::exp(x) - std::exp(-x)) / 2.0; }},
      {"Cosh", [](Wide x) { return (std::exp(x) + std::exp(-x)) / 2.0; }},
      {"Asinh", [](Wide x) { return std::log(x + std::sqrt(x * x + 1.0)); }},
      {"Acosh", [](Wide x) { return std::log(x + std::sqrt(x + 1.0) * std::sqrt(x - 1.0)); }},
      {"Atanh", [](Wide x) { return (std::log(1.0 + x) - std::log(1.0 - x)) / 2.0; }},
  };
  for (const auto& [op, function] : functions) {
    Agrees<double>(op, DType::kComplex128, function, 1e-14);
    Agrees<float>(op, DType::kComplex64, function, 1e-6);
  }
}

TEST(ComplexFunctions, AreExactBesideOne) {
  const Wide small(1e-12, 2e-12);
  for (const char* op : {"Log1p", "Expm1"}) {
    const Tensor x = Numbers<double>(DType::kComplex128, {small});
    const auto results = OpTest(op).Input(x).RunOn(CpuDevice());
    ASSERT_OK(results);
    EXPECT_TRUE(std::abs((*results)[0].data<Wide>()[0] - small) < 1e-22);
  }
}

TEST(ComplexPower, OfZeroToo) {
  const Tensor x = Numbers<double>(DType::kComplex128, {{0, 0}, {0, 0}, {0, 1}, {2, 0}});
  const Tensor y = Numbers<double>(DType::kComplex128, {{0, 0}, {2, 1}, {2, 0}, {0, 1}});
  const auto results = OpTest("Pow").Input(x).Input(y).RunOn(CpuDevice());
  ASSERT_OK(results);
  const Wide* z = (*results)[0].data<Wide>();
  EXPECT_TRUE(z[0] == Wide(1));
  EXPECT_TRUE(z[1] == Wide(0));
  EXPECT_TRUE(std::abs(z[2] - Wide(-1)) < 1e-15);
  EXPECT_TRUE(std::abs(z[3] - std::polar(1.0, std::log(2.0))) < 1e-15);
}

TEST(ComplexPower, OfZeroIsInfiniteWhereItHasAPole) {
  const Tensor x = Numbers<double>(DType::kComplex128, {{0, 0}, {0, 0}, {0, 0}});
  const Tensor y = Numbers<double>(DType::kComplex128, {{-1, 0}, {0, 1}, {-1, 1}});
  const auto results = OpTest("Pow").Input(x).Input(y).RunOn(CpuDevice());
  ASSERT_OK(results);
  const Wide* z = (*results)[0].data<Wide>();
  EXPECT_TRUE(std::isinf(z[0].real()));
  EXPECT_TRUE(std::isnan(z[1].real()));
  EXPECT_TRUE(std::isnan(z[2].real()));
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
