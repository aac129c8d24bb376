#pragma once

#include "tensor/tensor.h"

namespace tfbuild {
namespace testing {

// How far a number may be from the expected one.
struct Closeness {
  constexpr Closeness(double in_ulps, double slack = 0) : ulps(in_ulps), absolute(slack) {}
  double ulps;      // in units of the last place of the expected number, as its type has it
  double absolute;  // besides
};

// Units in the last place; less than 1 means the same number.
inline Closeness Ulps(double ulps) { return Closeness(ulps); }

// An absolute slack, for results whose last places mean nothing; `reason` says why that is so.
inline Closeness Slack(double absolute, const char* /*reason*/, double ulps = 1) {
  return Closeness(ulps, absolute);
}

// Distance of neighbours near `value` among the numbers of that type; 1 for integers.
double UnitInLastPlace(DType dtype, double value);

// How many units in the last place `actual` is from `expected`, which may be more exact than the
// type; infinite where only one is NaN or infinite, or where zeros differ in sign.
double UlpsApart(DType dtype, double actual, double expected);

// Checks type, shape and elements.
void ExpectClose(const Tensor& actual, const Tensor& expected, const Closeness& closeness);

// The elements of a host tensor of any number type.
std::vector<double> Values(const Tensor& tensor);

}  // namespace testing
}  // namespace tfbuild
