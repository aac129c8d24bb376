#pragma once

// Eigen, for the files of this folder, and matrices of it.

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>

#include "linalg/factors.h"

namespace tfbuild {
namespace linalg {

// Looks, in one of some calls, whether the work of this thread must end.
void LookFromEigen();

constexpr bool BeginsWith(const char* text, const char* beginning) {
  while (*beginning != 0) {
    if (*text++ != *beginning++) return false;
  }
  return true;
}
// What Eigen asserts once of each product of matrices, and once of each turn of two columns.
constexpr bool IsOfManyNumbers(const char* condition) {
  return BeginsWith(condition, "lhs.cols() == rhs.rows()") ||
         BeginsWith(condition, "xpr_x.size() == xpr_y.size()");
}
template <bool kLooks>
void LookHere() {
  if constexpr (kLooks) LookFromEigen();
}

}  // namespace linalg
}  // namespace tfbuild

// Only what is under the Mozilla Public License, and no threads: the runtime's loops have them. Nothing
// is asserted, as sizes are checked before: where Eigen would assert something of many numbers at once, a
// step may end.
#define EIGEN_MPL2_ONLY
#define EIGEN_DONT_PARALLELIZE
#define eigen_assert(condition) \
  ::tfbuild::linalg::LookHere<::tfbuild::linalg::IsOfManyNumbers(#condition)>()

#include <Eigen/Householder>

namespace tfbuild {
namespace linalg {

template <typename W>
using Dense = Eigen::Matrix<W, Eigen::Dynamic, Eigen::Dynamic>;
template <typename T>
using RowByRow = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <typename W>
using Column = Eigen::Matrix<W, Eigen::Dynamic, 1>;
template <typename W>
using RealOf = typename Eigen::NumTraits<W>::Real;

template <typename W, typename T>
Dense<W> Read(const MatrixView<T>& view, bool adjoint = false) {
  const Eigen::Map<const RowByRow<T>> given(view.values, view.rows, view.columns);
  if (!adjoint) return given.template cast<W>();
  return given.adjoint().template cast<W>();
}

template <typename W, typename T>
void Write(const Dense<W>& matrix, T* values) {
  Eigen::Map<RowByRow<T>>(values, matrix.rows(), matrix.cols()) = matrix.template cast<T>();
}

template <typename Real>
Real TimesPowerOfTwo(Real value, int power) { return std::ldexp(value, power); }
template <typename Real>
std::complex<Real> TimesPowerOfTwo(std::complex<Real> value, int power) {
  return {std::ldexp(value.real(), power), std::ldexp(value.imag(), power)};
}
template <typename W>
void MultiplyByPowerOfTwo(int power, Dense<W>* matrix) {
  if (power == 0) return;
  W* values = matrix->data();
  for (int64_t i = 0; i < matrix->size(); ++i) values[i] = TimesPowerOfTwo(values[i], power);
}

template <typename Real>
Real LargestPart(Real value) { return std::abs(value); }
template <typename Real>
Real LargestPart(std::complex<Real> value) {
  return std::max(std::abs(value.real()), std::abs(value.imag()));
}

// Divides a matrix by a power of two where squares of its numbers, or sums of them, would overflow or
// vanish, and returns the power.
template <typename W>
int BringNear(Dense<W>* matrix) {
  using Real = RealOf<W>;
  constexpr int kSquareable = std::numeric_limits<Real>::max_exponent / 4;
  Real largest = 0;
  const W* values = matrix->data();
  for (int64_t i = 0; i < matrix->size(); ++i) largest = std::max(largest, LargestPart(values[i]));
  if (largest == 0 || !std::isfinite(largest)) return 0;
  int power = 0;
  std::frexp(largest, &power);
  if (std::abs(power) <= kSquareable) return 0;
  MultiplyByPowerOfTwo(-power, matrix);
  return power;
}

// Turns a matrix by reflections, the last one first: their vectors are columns below the diagonal, or
// `shift` lower, as LAPACK has them.
template <typename W>
void Reflect(const Dense<W>& vectors, const Column<W>& coefficients, int64_t shift, Dense<W>* matrix) {
  Eigen::HouseholderSequence<Dense<W>, Column<W>> reflections(vectors, coefficients);
  reflections.setLength(coefficients.size()).setShift(shift).applyThisOnTheLeft(*matrix);
}

template <typename W>
bool IsFinite(const Dense<W>& matrix) {
  const W* values = matrix.data();
  return std::all_of(values, values + matrix.size(), [](const W& value) {
    return std::isfinite(std::real(value)) && std::isfinite(std::imag(value));
  });
}

}  // namespace linalg
}  // namespace tfbuild
