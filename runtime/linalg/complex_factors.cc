// What is computed in complex numbers of doubles.
#include "linalg/elimination.h"
#include "linalg/spectrum.h"

namespace tfbuild {
namespace linalg {
namespace {

using Number = std::complex<double>;

// The columns that reflections make of an identity with `inner` in its corner.
Dense<Number> Turned(const Dense<Number>& vectors, const Column<Number>& coefficients, int64_t shift,
                     const Dense<double>& inner, int64_t columns) {
  Dense<Number> made = Dense<Number>::Identity(vectors.rows(), columns);
  made.topLeftCorner(inner.rows(), inner.cols()) = inner.cast<Number>();
  Reflect(vectors, coefficients, shift, &made);
  return made;
}

// Of a matrix that has at least as many rows as columns. Reflections from both sides make it real
// with two diagonals, and those are taken apart as any real matrix.
Singular<Number> DecomposeTall(Dense<Number> matrix, bool vectors, bool full) {
  const int power = BringNear(&matrix);
  const int64_t rows = matrix.rows(), columns = matrix.cols();
  Eigen::VectorXd diagonal(columns), above(columns);
  Eigen::internal::upperbidiagonalization_inplace_unblocked(matrix, diagonal.data(), above.data());
  Dense<double> between = diagonal.asDiagonal();
  between.diagonal<1>() = above.head(columns - 1);
  Singular<double> found = Decompose(between, vectors, false);
  for (double& value : found.values) value = std::ldexp(value, power);
  if (!vectors) return {found.values, {}, {}};
  const Column<Number> of_left = matrix.diagonal().conjugate();
  const Column<Number> of_right = matrix.diagonal<1>().head(columns - 1);
  return {found.values,
          Turned(matrix, of_left, 0, found.left, full ? rows : columns),
          Turned(matrix.topRows(columns).adjoint(), of_right, 1, found.right, columns)};
}

}  // namespace

Singular<Number> Decompose(const Dense<Number>& matrix, bool vectors, bool full) {
  if (matrix.rows() >= matrix.cols()) return DecomposeTall(matrix, vectors, full);
  Singular<Number> found = DecomposeTall(matrix.adjoint(), vectors, full);
  std::swap(found.left, found.right);
  return found;
}

TFBUILD_ELIMINATE(std::complex<float>, Number)
TFBUILD_ELIMINATE(std::complex<double>, Number)
TFBUILD_FIND_SPECTRUM(std::complex<float>, Number)
TFBUILD_FIND_SPECTRUM(std::complex<double>, Number)

}  // namespace linalg
}  // namespace tfbuild
