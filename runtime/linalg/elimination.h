#pragma once

// Cholesky's factors, triangles, LU and QR.

#include "base/stop.h"
#include "linalg/dense.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>

namespace tfbuild {
namespace linalg {

// For what divides and squares nothing: a complex division squares the parts of its numbers.
template <typename W>
int BringNearForDivision(Dense<W>* matrix) {
  return Eigen::NumTraits<W>::IsComplex ? BringNear(matrix) : 0;
}

template <typename W, typename T>
bool CholeskyIn(const MatrixView<T>& matrix, T* factor) {
  const Eigen::LLT<Dense<W>> found(Read<W>(matrix));
  if (found.info() != Eigen::Success) return false;
  Dense<W> lower = found.matrixLLT();
  lower.template triangularView<Eigen::StrictlyUpper>().setZero();
  Write(lower, factor);
  return true;
}

// Replaces the right sides by the solutions, some columns at a time, so that a step can end between.
template <int kTriangle, typename W>
void SolveInPanels(const Dense<W>& triangle, Dense<W>* right) {
  constexpr int64_t kColumns = 128;
  for (int64_t begin = 0; begin < right->cols(); begin += kColumns) {
    ThrowIfStopped();
    auto panel = right->middleCols(begin, std::min<int64_t>(kColumns, right->cols() - begin));
    triangle.template triangularView<kTriangle>().solveInPlace(panel);
  }
}

template <typename W, typename T>
void SolveTriangleIn(const MatrixView<T>& matrix, bool lower, bool adjoint,
                     const MatrixView<T>& right, T* x) {
  Dense<W> triangle = Read<W>(matrix, adjoint), solution = Read<W>(right);
  const int power = BringNearForDivision(&triangle);
  const int of_right = BringNearForDivision(&solution);
  if (lower != adjoint) {
    SolveInPanels<Eigen::Lower>(triangle, &solution);
  } else {
    SolveInPanels<Eigen::Upper>(triangle, &solution);
  }
  MultiplyByPowerOfTwo(of_right - power, &solution);
  Write(solution, x);
}

template <typename W, typename T>
bool SolveIn(const MatrixView<T>& matrix, bool adjoint, Dense<W> right, T* x) {
  Dense<W> square = Read<W>(matrix, adjoint);
  const int power = BringNearForDivision(&square), of_right = BringNearForDivision(&right);
  const Eigen::PartialPivLU<Dense<W>> factors(square);
  if (!(factors.matrixLU().diagonal().cwiseAbs().minCoeff() > 0)) return false;
  Dense<W> solution = factors.permutationP() * right;
  SolveInPanels<Eigen::UnitLower>(factors.matrixLU(), &solution);
  SolveInPanels<Eigen::Upper>(factors.matrixLU(), &solution);
  MultiplyByPowerOfTwo(of_right - power, &solution);
  Write(solution, x);
  return true;
}

// The diagonal of a matrix after elimination, divided by a power of two, and the sign of the exchanges.
template <typename W>
struct Pivots {
  Dense<W> diagonal;
  RealOf<W> sign;
  int power;
};

template <typename W, typename T>
Pivots<W> FindPivots(const MatrixView<T>& matrix) {
  Dense<W> square = Read<W>(matrix);
  const int power = BringNearForDivision(&square);
  if (square.size() == 0) return {square, 1, 0};
  const Eigen::PartialPivLU<Dense<W>> factors(square);
  return {factors.matrixLU().diagonal(), RealOf<W>(factors.permutationP().determinant()), power};
}

template <typename W, typename T>
void DeterminantIn(const MatrixView<T>& matrix, T* determinant) {
  const Pivots<W> found = FindPivots<W>(matrix);
  W product(found.sign);
  int64_t powers = int64_t{found.power} * found.diagonal.size();
  for (int64_t i = 0; i < found.diagonal.size(); ++i) {
    product *= found.diagonal(i);
    int power = 0;
    const RealOf<W> largest = LargestPart(product);
    if (!std::isfinite(largest)) continue;
    std::frexp(largest, &power);
    product = TimesPowerOfTwo(product, -power);
    powers += power;
  }
  constexpr int64_t kBeyondAll = 1 << 20;
  powers = std::clamp(powers, -kBeyondAll, kBeyondAll);
  *determinant = T(TimesPowerOfTwo(product, static_cast<int>(powers)) + W(0));  // no negative zero
}

template <typename W, typename T>
void LogDeterminantIn(const MatrixView<T>& matrix, T* sign, T* logarithm) {
  const Pivots<W> found = FindPivots<W>(matrix);
  const double of_power = found.power * std::log(2.0);
  W direction(found.sign);
  double sum = 0;
  for (int64_t i = 0; i < found.diagonal.size(); ++i) {
    const W value = found.diagonal(i);
    const RealOf<W> magnitude = std::abs(value);
    direction *= magnitude == 0 ? W(0) : value / magnitude;
    sum += std::log(static_cast<double>(magnitude)) + of_power;
  }
  *sign = T(direction + W(0));
  *logarithm = T(W(static_cast<RealOf<W>>(sum)));
}

template <typename W, typename T>
void QrIn(const MatrixView<T>& matrix, int64_t inner, T* q, T* r) {
  Dense<W> given = Read<W>(matrix);
  const int power = BringNear(&given);
  const Eigen::HouseholderQR<Dense<W>> found(given);
  Dense<W> turned = Dense<W>::Identity(matrix.rows, inner);
  Reflect<W>(found.matrixQR(), found.hCoeffs().conjugate(), 0, &turned);
  Write(turned, q);
  Dense<W> triangle = found.matrixQR().topRows(inner);
  triangle.template triangularView<Eigen::StrictlyLower>().setZero();
  MultiplyByPowerOfTwo(power, &triangle);
  Write(triangle, r);
}

}  // namespace linalg
}  // namespace tfbuild

// What is computed for numbers of type T in those of type W.
#define TFBUILD_ELIMINATE(T, W)                                                              \
  template <> bool Cholesky(const MatrixView<T>& matrix, T* factor) {                        \
    return CholeskyIn<W>(matrix, factor);                                                    \
  }                                                                                          \
  template <> void SolveTriangle(const MatrixView<T>& matrix, bool lower, bool adjoint,      \
                                 const MatrixView<T>& right, T* x) {                         \
    SolveTriangleIn<W>(matrix, lower, adjoint, right, x);                                    \
  }                                                                                          \
  template <> bool Solve(const MatrixView<T>& matrix, bool adjoint,                          \
                         const MatrixView<T>& right, T* x) {                                 \
    return SolveIn<W>(matrix, adjoint, Read<W>(right), x);                                   \
  }                                                                                          \
  template <> bool Invert(const MatrixView<T>& matrix, bool adjoint, T* inverse) {           \
    return SolveIn<W, T>(matrix, adjoint, Dense<W>::Identity(matrix.rows, matrix.rows),      \
                         inverse);                                                           \
  }                                                                                          \
  template <> void Determinant(const MatrixView<T>& matrix, T* determinant) {                \
    DeterminantIn<W>(matrix, determinant);                                                   \
  }                                                                                          \
  template <> void LogDeterminant(const MatrixView<T>& matrix, T* sign, T* logarithm) {      \
    LogDeterminantIn<W>(matrix, sign, logarithm);                                            \
  }                                                                                          \
  template <> void Qr(const MatrixView<T>& matrix, int64_t inner, T* q, T* r) {              \
    QrIn<W>(matrix, inner, q, r);                                                            \
  }
