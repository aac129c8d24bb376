#pragma once

// Eigenvalues and singular values. Those of floats are computed in double, so that the code is
// compiled once for real numbers.

#include "linalg/dense.h"

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>

namespace tfbuild {
namespace linalg {

template <typename W, typename T>
bool SelfAdjointEigenIn(const MatrixView<T>& matrix, T* values, T* vectors) {
  const Dense<W> given = Read<W>(matrix);
  if (!IsFinite(given)) return false;
  const Eigen::SelfAdjointEigenSolver<Dense<W>> found(
      given, vectors == nullptr ? Eigen::EigenvaluesOnly : Eigen::ComputeEigenvectors);
  if (found.info() != Eigen::Success) return false;
  const auto& in_order = found.eigenvalues();
  for (int64_t i = 0; i < matrix.rows; ++i) values[i] = T(W(in_order(i)));
  if (vectors != nullptr) Write<W, T>(found.eigenvectors(), vectors);
  return true;
}

// What a matrix is the product of, the vectors of the right side as columns.
template <typename W>
struct Singular {
  Eigen::VectorXd values;
  Dense<W> left;
  Dense<W> right;
};

// Of a matrix of finite numbers.
Singular<double> Decompose(const Dense<double>& matrix, bool vectors, bool full);
Singular<std::complex<double>> Decompose(const Dense<std::complex<double>>& matrix, bool vectors,
                                         bool full);

template <typename W, typename T>
bool SvdIn(const MatrixView<T>& matrix, bool full, T* values, T* left, T* right) {
  const Dense<W> given = Read<W>(matrix);
  if (!IsFinite(given)) return false;
  if (given.size() == 0) {  // of which Eigen knows nothing
    if (left == nullptr) return true;
    const int64_t rows = full ? matrix.rows : 0, columns = full ? matrix.columns : 0;
    Write<W, T>(Dense<W>::Identity(matrix.rows, rows), left);
    Write<W, T>(Dense<W>::Identity(matrix.columns, columns), right);
    return true;
  }
  const Singular<W> found = Decompose(given, left != nullptr, full);
  for (int64_t i = 0; i < found.values.size(); ++i) values[i] = T(W(found.values(i)));
  if (left == nullptr) return true;
  Write(found.left, left);
  Write(found.right, right);
  return true;
}

}  // namespace linalg
}  // namespace tfbuild

#define TFBUILD_FIND_SPECTRUM(T, W)                                                          \
  template <> bool SelfAdjointEigen(const MatrixView<T>& matrix, T* values, T* vectors) {    \
    return SelfAdjointEigenIn<W>(matrix, values, vectors);                                   \
  }                                                                                          \
  template <> bool Svd(const MatrixView<T>& matrix, bool full, T* values, T* left,           \
                       T* right) {                                                           \
    return SvdIn<W>(matrix, full, values, left, right);                                      \
  }
