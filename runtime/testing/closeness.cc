#include "testing/closeness.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/c_locale.h"
#include "testing/test.h"

namespace tfbuild {
namespace testing {
namespace {

double ValueAt(const Tensor& tensor, int64_t i) {
  switch (tensor.dtype()) {
#define CASE(T) \
  case DTypeOf<T>::value: return static_cast<double>(tensor.data<T>()[i]);
    TFBUILD_NUMBER_TYPES(CASE)
    CASE(bool)
#undef CASE
    default: return 0;
  }
}

// Digits of the significand, and the smallest exponent of a normal number in [1/2, 1) times a power
// of two; no digits for integers.
struct Format {
  int digits;
  int lowest;
};

Format FormatOf(DType dtype) {
  switch (dtype) {
    case DType::kDouble: return {53, -1021};
    case DType::kFloat: return {24, -125};
    case DType::kHalf: return {11, -13};
    case DType::kBFloat16: return {8, -125};
    default: return {0, 0};
  }
}

}  // namespace

double UnitInLastPlace(DType dtype, double value) {
  const Format format = FormatOf(dtype);
  if (format.digits == 0) return 1;
  int exponent = 0;
  std::frexp(value, &exponent);
  return std::ldexp(1.0, std::max(exponent, format.lowest) - format.digits);
}

double UlpsApart(DType dtype, double actual, double expected) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  if (std::isnan(actual) || std::isnan(expected)) {
    return std::isnan(actual) == std::isnan(expected) ? 0 : kFar;
  }
  if (actual == expected) {
    return actual == 0 && std::signbit(actual) != std::signbit(expected) ? kFar : 0;
  }
  if (std::isinf(expected)) return kFar;
  if (std::isinf(actual)) {  // one unit beyond the largest number, which a double cannot hold
    const int end = 3 - FormatOf(dtype).lowest;
    actual = std::copysign(std::ldexp(1.0, end), actual);
  }
  return std::abs(actual - expected) / UnitInLastPlace(dtype, expected);
}

void ExpectClose(const Tensor& actual, const Tensor& expected, const Closeness& closeness) {
  EXPECT_EQ(std::string(DTypeName(actual.dtype())), DTypeName(expected.dtype()));
  EXPECT_EQ(actual.shape(), expected.shape());
  if (actual.shape() != expected.shape() || actual.dtype() != expected.dtype()) return;
  for (int64_t i = 0; i < actual.num_elements(); ++i) {
    const double got = ValueAt(actual, i);
    const double want = ValueAt(expected, i);
    const double apart = UlpsApart(expected.dtype(), got, want);
    if (apart <= closeness.ulps) continue;
    const double allowed =
        closeness.absolute + closeness.ulps * UnitInLastPlace(expected.dtype(), want);
    if (closeness.absolute > 0 && std::abs(got - want) <= allowed) continue;
    const auto all_digits = [](double number) { return FormatReal("%.17g", number); };
    Fail(__FILE__, __LINE__,
         StrCat("element ", i, ": got ", all_digits(got), ", expected ", all_digits(want), ", ",
                all_digits(apart), " units in the last place away"));
    return;
  }
}

std::vector<double> Values(const Tensor& tensor) {
  std::vector<double> values;
  for (int64_t i = 0; i < tensor.num_elements(); ++i) values.push_back(ValueAt(tensor, i));
  return values;
}

}  // namespace testing
}  // namespace tfbuild
