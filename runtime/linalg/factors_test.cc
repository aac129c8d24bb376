#include "linalg/factors.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <random>
#include <vector>

#include "testing/limited_work.h"
#include "testing/test.h"

namespace tfbuild {
namespace linalg {
namespace {

double Drawn(std::mt19937* draw, double) { return std::normal_distribution<>()(*draw); }
std::complex<double> Drawn(std::mt19937* draw, std::complex<double>) {
  const double real = Drawn(draw, 0.0);
  return {real, Drawn(draw, 0.0)};
}
double Conjugate(double x) { return x; }
std::complex<double> Conjugate(std::complex<double> x) { return std::conj(x); }

template <typename W>
using Values = std::vector<W>;

// A matrix with a wide diagonal, times `scale`.
template <typename T, typename W>
Values<T> Matrix(int64_t rows, int64_t columns, double scale, W of) {
  std::mt19937 draw(7);
  Values<T> values;
  for (int64_t i = 0; i < rows * columns; ++i) {
    const W value = Drawn(&draw, of) + W(i % (columns + 1) == 0 ? 3.0 : 0.0);
    values.push_back(T(value * scale));
  }
  return values;
}

// How far left * right is from `wanted` over `scale`, both divided by it.
template <typename T, typename W>
double Distance(const Values<T>& left, const Values<T>& right, const Values<T>& wanted, int64_t rows,
                int64_t columns, W of_left, W of_right, W of_wanted) {
  const int64_t inner = static_cast<int64_t>(left.size()) / rows;
  double most = 0;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      W sum = -W(wanted[static_cast<size_t>(i * columns + j)]) / of_wanted;
      for (int64_t k = 0; k < inner; ++k) {
        sum += W(left[static_cast<size_t>(i * inner + k)]) / of_left *
               (W(right[static_cast<size_t>(k * columns + j)]) / of_right);
      }
      most = std::max(most, std::abs(sum));
    }
  }
  return most;
}

// Twenty rows and columns, times `scale`; what comes of them is divided by it where they are held
// against each other.
template <typename T, typename W>
class AtScale {
 public:
  AtScale(double scale, double rounding)
      : scale_(scale), rounding_(rounding), unit_(scale), whole_(Matrix<T>(kSize, kSize, scale, W())) {}

  void Check() const {
    CheckQr();
    CheckSolutions();
    CheckTriangle();
    CheckSvd();
    CheckEigen();
  }

 private:
  static constexpr int64_t kSize = 20;
  static Values<T> Square() { return Values<T>(static_cast<size_t>(kSize * kSize)); }
  static T& At(Values<T>* matrix, int64_t i, int64_t j) {
    return (*matrix)[static_cast<size_t>(i * kSize + j)];
  }
  static MatrixView<T> View(const Values<T>& matrix) { return {matrix.data(), kSize, kSize}; }
  void IsProduct(const Values<T>& left, W of_left, const Values<T>& right, W of_right,
                 const Values<T>& wanted, W of_wanted) const {
    EXPECT_TRUE(Distance(left, right, wanted, kSize, kSize, of_left, of_right, of_wanted) <
                rounding_);
  }

  void CheckQr() const {
    Values<T> q = Square(), r = Square();
    Qr(View(whole_), kSize, q.data(), r.data());
    IsProduct(q, one_, r, unit_, whole_, unit_);
  }
  void CheckSolutions() const {
    Values<T> identity = Square(), found = Square();
    for (int64_t i = 0; i < kSize; ++i) At(&identity, i, i) = T(1);
    EXPECT_TRUE(Solve(View(whole_), false, View(whole_), found.data()));
    IsProduct(found, one_, identity, one_, identity, one_);
    EXPECT_TRUE(Invert(View(whole_), false, found.data()));
    IsProduct(whole_, unit_, found, W(1 / scale_), identity, one_);
  }
  void CheckTriangle() const {
    Values<T> triangle = whole_, found = Square();
    for (int64_t i = 0; i < kSize; ++i) {
      At(&triangle, i, i) = T(unit_ * 9.0);
      for (int64_t j = i + 1; j < kSize; ++j) At(&triangle, i, j) = T(0);
    }
    SolveTriangle(View(triangle), true, false, View(whole_), found.data());
    IsProduct(triangle, unit_, found, one_, whole_, unit_);
  }
  void CheckSvd() const {
    Values<T> values(static_cast<size_t>(kSize)), left = Square(), right = Square();
    EXPECT_TRUE(Svd(View(whole_), false, values.data(), left.data(), right.data()));
    Values<T> adjoint = Square();
    for (int64_t i = 0; i < kSize; ++i) {
      for (int64_t j = 0; j < kSize; ++j) {
        At(&left, i, j) *= T(W(values[static_cast<size_t>(j)]) / unit_);
        At(&adjoint, j, i) = T(Conjugate(W(At(&right, i, j))));
      }
    }
    IsProduct(left, one_, adjoint, one_, whole_, unit_);
  }
  void CheckEigen() const {
    Values<T> values(static_cast<size_t>(kSize)), self = whole_, vectors = Square();
    for (int64_t i = 0; i < kSize; ++i) {
      At(&self, i, i) = T(W(std::real(W(At(&self, i, i)))));
      for (int64_t j = 0; j < i; ++j) At(&self, j, i) = T(Conjugate(W(At(&self, i, j))));
    }
    EXPECT_TRUE(SelfAdjointEigen(View(self), values.data(), vectors.data()));
    Values<T> stretched = vectors;
    for (int64_t i = 0; i < kSize; ++i) {
      for (int64_t j = 0; j < kSize; ++j) {
        At(&stretched, i, j) *= T(W(values[static_cast<size_t>(j)]) / unit_);
      }
    }
    IsProduct(self, unit_, vectors, one_, stretched, one_);
  }

  const double scale_, rounding_;
  const W one_{1}, unit_;
  const Values<T> whole_;
};

TEST(Factors, NumbersOfAnySize) {
  for (const double scale : {1e-300, 1e-200, 1e-170, 1e-10, 1.0, 1e10, 1e160, 1e200, 1e300}) {
    AtScale<double, double>(scale, 1e-12).Check();
    AtScale<std::complex<double>, std::complex<double>>(scale, 1e-12).Check();
  }
  for (const double scale : {1e-30, 1e-20, 1.0, 1e20, 1e30}) {
    AtScale<float, double>(scale, 3e-4).Check();
    AtScale<std::complex<float>, std::complex<double>>(scale, 3e-4).Check();
  }
}

TEST(Factors, DeterminantsThatNumbersHoldAreFoundThroughThoseThatTheyDoNot) {
  const double matrix[] = {1e300, 0, 0, 0, 1e300, 0, 0, 0, 1e-310};
  double found = 0, sign = 0;
  Determinant<double>({matrix, 3, 3}, &found);
  EXPECT_NEAR(found / 1e290, 1, 1e-6);
  LogDeterminant<double>({matrix, 3, 3}, &sign, &found);
  EXPECT_NEAR(found / std::log(10.0), 290, 1e-6);
  EXPECT_EQ(sign, 1);
}

TEST(Factors, WorkOnOneMatrixCanBeStopped) {
  const int64_t n = 300;
  const auto whole = Matrix<double>(n, n, 1, 0.0);
  const MatrixView<double> matrix{whole.data(), n, n};
  Values<double> values(static_cast<size_t>(n)), first(whole.size()), second(whole.size());
  const auto is_stopped = [](const auto& work) {
    const Status status = testing::StoppedAfter(1, [&] {
      work();
      return OkStatus();
    });
    return status.code() == Code::kCancelled;
  };
  EXPECT_TRUE(is_stopped([&] { Svd(matrix, false, values.data(), first.data(), second.data()); }));
  EXPECT_TRUE(is_stopped([&] { SelfAdjointEigen(matrix, values.data(), first.data()); }));
  EXPECT_TRUE(is_stopped([&] { Qr(matrix, n, first.data(), second.data()); }));
  EXPECT_TRUE(is_stopped([&] { Invert(matrix, false, first.data()); }));
}

}  // namespace
}  // namespace linalg
}  // namespace tfbuild
