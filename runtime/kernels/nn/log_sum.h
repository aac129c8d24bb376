#pragma once

#include <cmath>
#include <limits>
#include <utility>

namespace tfbuild {

// Probabilities as their logarithms, of which those of long paths would be too small otherwise.

constexpr double kLogZero = -std::numeric_limits<double>::infinity();

// log(exp(a) + exp(b)).
inline double LogSum(double a, double b) {
  if (a < b) std::swap(a, b);
  return b == kLogZero ? a : a + std::log1p(std::exp(b - a));
}

}  // namespace tfbuild
