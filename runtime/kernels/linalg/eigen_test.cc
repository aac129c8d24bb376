#include <complex>

#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

const Closeness kRounded = Slack(1e-6, "vectors of floats", 4);

template <typename T>
void FindsEigenvalues() {
  OpTest("SelfAdjointEigV2")
      .Input(MakeTensor<T>({2, 2}, {2, 99, 1, 2}))  // the upper half is not read
      .Attr("compute_v", false)
      .Expect(MakeTensor<T>({2}, {1, 3}))
      .Expect(MakeTensor<T>({0}, {}))
      .Within(kRounded)
      .Run();
}

TEST(SelfAdjointEig, Float) { FindsEigenvalues<float>(); }
TEST(SelfAdjointEig, Double) { FindsEigenvalues<double>(); }

// So many matrices that a note on each would not fit into memory.
TEST(SelfAdjointEig, OfNothing) {
  const Tensor nothing = MakeTensor<float>({int64_t{1} << 40, 0, 0}, {});
  OpTest("SelfAdjointEigV2")
      .Input(nothing)
      .Expect(MakeTensor<float>({int64_t{1} << 40, 0}, {}))
      .Expect(nothing)
      .Run();
}

TEST(Svd, OfNothing) {
  const int64_t many = int64_t{1} << 40;
  OpTest("Svd")
      .Input(MakeTensor<float>({many, 0, 3}, {}))
      .Expect(MakeTensor<float>({many, 0}, {}))
      .Expect(MakeTensor<float>({many, 0, 0}, {}))
      .Expect(MakeTensor<float>({many, 3, 0}, {}))
      .Run();
}

// a times b, both square.
std::vector<double> Times(const std::vector<double>& a, const std::vector<double>& b, size_t rows,
                          size_t inner) {
  const size_t columns = b.size() / inner;
  std::vector<double> product(rows * columns);
  for (size_t i = 0; i < rows; ++i) {
    for (size_t k = 0; k < inner; ++k) {
      for (size_t j = 0; j < columns; ++j) {
        product[i * columns + j] += a[i * inner + k] * b[k * columns + j];
      }
    }
  }
  return product;
}

TEST(SelfAdjointEig, VectorsBelongToTheValues) {
  const std::vector<double> matrix = {4, 1, 2, 1, 3, 0, 2, 0, 5};
  const auto found =
      OpTest("SelfAdjointEigV2").Input(MakeTensor<double>({3, 3}, matrix)).RunOnCpu();
  ASSERT_OK(found);
  const std::vector<double> values = Values((*found)[0]), vectors = Values((*found)[1]);
  EXPECT_TRUE(values[0] < values[1] && values[1] < values[2]);
  const std::vector<double> turned = Times(matrix, vectors, 3, 3);
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 0; j < 3; ++j) {
      EXPECT_NEAR(turned[3 * i + j], values[j] * vectors[3 * i + j], 1e-12);
    }
  }
}

// Squares of such numbers overflow, or vanish.
TEST(SelfAdjointEig, NumbersOfAnySize) {
  for (const double scale : {1e-300, 1e-200, 1e200, 1e300}) {
    OpTest("SelfAdjointEigV2")
        .Input(MakeTensor<double>({2, 2}, {2 * scale, 99, scale, 2 * scale}))
        .Attr("compute_v", false)
        .Expect(MakeTensor<double>({2}, {scale, 3 * scale}))
        .Expect(MakeTensor<double>({0}, {}))
        .Within(kRounded)
        .Run();
  }
}

TEST(Svd, NumbersOfAnySize) {
  for (const double scale : {1e-300, 1e-200, 1e200, 1e300}) {
    const auto found = OpTest("Svd")
                           .Input(MakeTensor<double>({2, 2}, {3 * scale, 0, 0, -2 * scale}))
                           .RunOnCpu();
    ASSERT_OK(found);
    const std::vector<double> values = Values((*found)[0]), left = Values((*found)[1]);
    EXPECT_NEAR(values[0] / scale, 3, 1e-12);
    EXPECT_NEAR(values[1] / scale, 2, 1e-12);
    EXPECT_NEAR(std::abs(left[0]), 1, 1e-12);
  }
}

using Number = std::complex<double>;

Tensor Numbers(const std::vector<Number>& values) {
  Tensor tensor = *Tensor::Allocate(CpuAllocator(), DType::kComplex128, {2, 2});
  std::copy(values.begin(), values.end(), tensor.mutable_data<Number>());
  return tensor;
}

// v times the values times the adjoint of w.
void IsPutTogether(const std::vector<Number>& matrix, const Number* v, const Number* values,
                   const Number* w) {
  for (size_t i = 0; i < 2; ++i) {
    for (size_t j = 0; j < 2; ++j) {
      const Number found = v[2 * i] * values[0] * std::conj(w[2 * j]) +
                           v[2 * i + 1] * values[1] * std::conj(w[2 * j + 1]);
      EXPECT_TRUE(std::abs(found - matrix[2 * i + j]) < 1e-14);
    }
  }
}

TEST(SelfAdjointEig, Complex) {
  const std::vector<Number> matrix = {{2, 0}, {0, -1}, {0, 1}, {2, 0}};
  const auto found = OpTest("SelfAdjointEigV2").Input(Numbers(matrix)).RunOn(CpuDevice());
  ASSERT_OK(found);
  const Number* values = (*found)[0].data<Number>();
  EXPECT_TRUE(std::abs(values[0] - Number(1)) + std::abs(values[1] - Number(3)) < 1e-14);
  const Number* vectors = (*found)[1].data<Number>();
  IsPutTogether(matrix, vectors, values, vectors);
}

TEST(Svd, Complex) {
  const std::vector<Number> matrix = {{3, 4}, {1, 0}, {0, 2}, {1, -1}};
  const auto found = OpTest("Svd").Input(Numbers(matrix)).RunOn(CpuDevice());
  ASSERT_OK(found);
  const Number* values = (*found)[0].data<Number>();
  EXPECT_TRUE(values[0].real() > values[1].real() && values[1].real() > 0);
  IsPutTogether(matrix, (*found)[1].data<Number>(), values, (*found)[2].data<Number>());
}

TEST(SelfAdjointEig, RejectsNaNAndOtherShapes) {
  OpTest("SelfAdjointEigV2").Input(MakeTensor<float>({2, 2}, {NAN, 1, 1, 1}))
      .RunExpectingError(Code::kInvalidArgument, "not successful");
  OpTest("SelfAdjointEigV2").Input(MakeTensor<float>({2, 1}, {1, 1}))
      .RunExpectingError(Code::kInvalidArgument, "");
}

void PutsTogether(const Shape& shape, const std::vector<double>& matrix, bool full) {
  const auto found = OpTest("Svd").Input(MakeTensor<double>(shape, matrix))
                         .Attr("full_matrices", full).RunOnCpu();
  ASSERT_OK(found);
  const size_t rows = static_cast<size_t>(shape.dim(0)), columns = static_cast<size_t>(shape.dim(1));
  const std::vector<double> s = Values((*found)[0]), u = Values((*found)[1]),
                            v = Values((*found)[2]);
  const size_t width = u.size() / rows, of_v = v.size() / columns;
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < columns; ++j) {
      double sum = 0;
      for (size_t k = 0; k < s.size(); ++k) sum += u[i * width + k] * s[k] * v[j * of_v + k];
      EXPECT_NEAR(sum, matrix[i * columns + j], 1e-12);
    }
  }
  for (size_t a = 0; a < width; ++a) {
    for (size_t b = 0; b < width; ++b) {
      double dot = 0;
      for (size_t i = 0; i < rows; ++i) dot += u[i * width + a] * u[i * width + b];
      EXPECT_NEAR(dot, a == b ? 1.0 : 0.0, 1e-12);
    }
  }
}

TEST(Svd, IsTheMatrixAgain) {
  for (const bool full : {false, true}) {
    PutsTogether({4, 3}, {0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1}, full);
    PutsTogether({2, 3}, {1, 2, 3, 4, 5, 6}, full);
    PutsTogether({3, 2}, {1, 2, 2, 4, 3, 6}, full);  // of rank 1
    PutsTogether({2, 2}, {0, 0, 0, 0}, full);
  }
}

TEST(Svd, ValuesAlone) {
  OpTest("Svd").Input(MakeTensor<float>({1, 2, 2}, {0, 3, -4, 0})).Attr("compute_uv", false)
      .Expect(MakeTensor<float>({1, 2}, {4, 3}))
      .Expect(MakeTensor<float>({0}, {})).Expect(MakeTensor<float>({0}, {}))
      .Run();
}

// As in TensorFlow 2: a step that meets one such matrix goes on with the others.
TEST(Svd, OfNaNIsNaN) {
  const Tensor nothing = MakeTensor<float>({0}, {});
  OpTest("Svd").Input(MakeTensor<float>({2, 1, 1}, {NAN, 3}))
      .Expect(MakeTensor<float>({2, 1}, {NAN, 3})).Expect(MakeTensor<float>({2, 1, 1}, {NAN, 1}))
      .Expect(MakeTensor<float>({2, 1, 1}, {NAN, 1})).Run();
  OpTest("Svd").Input(MakeTensor<float>({1, 2}, {INFINITY, 3})).Attr("compute_uv", false)
      .Expect(MakeTensor<float>({1}, {NAN})).Expect(nothing).Expect(nothing).Run();
}

TEST(Svd, AllVectorsOfNoRows) {
  OpTest("Svd").Input(MakeTensor<float>({0, 2}, {})).Attr("full_matrices", true)
      .Expect(MakeTensor<float>({0}, {})).Expect(MakeTensor<float>({0, 0}, {}))
      .Expect(MakeTensor<float>({2, 2}, {1, 0, 0, 1})).Run();
}

TEST(Svd, RejectsVectors) {
  OpTest("Svd").Input(MakeTensor<float>({2}, {1, 2})).RunExpectingError(Code::kInvalidArgument, "");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
