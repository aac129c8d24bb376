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

TEST(SelfAdjointEig, RejectsNaNAndOtherShapes) {
  OpTest("SelfAdjointEigV2").Input(MakeTensor<float>({2, 2}, {NAN, 1, 1, 1}))
      .RunExpectingError(Code::kInvalidArgument, "not finite");
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

TEST(Svd, RejectsNaNAndVectors) {
  OpTest("Svd").Input(MakeTensor<float>({2, 2}, {NAN, 1, 1, 1}))
      .RunExpectingError(Code::kInvalidArgument, "not finite");
  OpTest("Svd").Input(MakeTensor<float>({2}, {1, 2})).RunExpectingError(Code::kInvalidArgument, "");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
