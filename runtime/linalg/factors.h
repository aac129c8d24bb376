#pragma once

// Factors of dense matrices, by Eigen. T is float, double or a complex number of either; matrices lie
// row by row. Work that must end throws Stopped (base/stop.h).

#include <cstdint>

namespace tfbuild {
namespace linalg {

template <typename T>
struct MatrixView {
  const T* values;
  int64_t rows;
  int64_t columns;
  int64_t size() const { return rows * columns; }
};

// The lower triangle whose product with its adjoint is the matrix, of which the lower half is read.
// False where it is not positive definite; then the factor is undefined.
template <typename T>
bool Cholesky(const MatrixView<T>& matrix, T* factor);

// x with matrix * x = right, or with its adjoint; of the matrix the lower or the upper half is read.
// Zeros on the diagonal divide.
template <typename T>
void SolveTriangle(const MatrixView<T>& matrix, bool lower, bool adjoint, const MatrixView<T>& right,
                   T* x);

// x with matrix * x = right, or with its adjoint. False where the matrix is not invertible.
template <typename T>
bool Solve(const MatrixView<T>& matrix, bool adjoint, const MatrixView<T>& right, T* x);
template <typename T>
bool Invert(const MatrixView<T>& matrix, bool adjoint, T* inverse);

// The determinant; and its sign, which is a number of size 1 or 0, with the logarithm of its size.
template <typename T>
void Determinant(const MatrixView<T>& matrix, T* determinant);
template <typename T>
void LogDeterminant(const MatrixView<T>& matrix, T* sign, T* logarithm);

// Matrix = q * r, where q has `inner` orthonormal columns: as many as the matrix has rows, or the
// lesser of its rows and columns.
template <typename T>
void Qr(const MatrixView<T>& matrix, int64_t inner, T* q, T* r);

// Eigenvalues in rising order, and eigenvectors as columns unless `vectors` is null. The lower half of
// the matrix is read. False where a number of it is not finite.
template <typename T>
bool SelfAdjointEigen(const MatrixView<T>& matrix, T* values, T* vectors);

// Singular values, the largest first, and unless `left` is null the vectors as columns: all of them
// with `full`, else as many as values. False where a number of the matrix is not finite.
template <typename T>
bool Svd(const MatrixView<T>& matrix, bool full, T* values, T* left, T* right);

}  // namespace linalg
}  // namespace tfbuild
