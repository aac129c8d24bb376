#include <complex>

#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

const Closeness kRounded = Slack(1e-6, "factors of floats", 4);

template <typename T>
void Decomposes() {
  OpTest("Qr")
      .Input(MakeTensor<T>({2, 2}, {3, 1, 4, 2}))
      .Expect(MakeTensor<T>({2, 2}, {-0.6, -0.8, -0.8, 0.6}))
      .Expect(MakeTensor<T>({2, 2}, {-5, -2.2, 0, 0.4}))
      .Within(kRounded)
      .Run();
}

TEST(Qr, Float) { Decomposes<float>(); }
TEST(Qr, Double) { Decomposes<double>(); }

// As LAPACK has it: the diagonal of the triangle is real, its sign against that of the head.
TEST(Qr, Complex) {
  using Number = std::complex<double>;
  const Number whole[2][2] = {{{3, 4}, {1, 0}}, {{0, 12}, {0, 2}}};
  Tensor matrix = *Tensor::Allocate(CpuAllocator(), DType::kComplex128, {2, 2});
  std::copy_n(&whole[0][0], 4, matrix.mutable_data<Number>());
  const auto found = OpTest("Qr").Input(matrix).RunOn(CpuDevice());
  ASSERT_OK(found);
  const Number* q = (*found)[0].data<Number>();
  const Number* r = (*found)[1].data<Number>();
  EXPECT_TRUE(std::abs(r[0] - Number(-13)) < 1e-14);
  EXPECT_TRUE(r[2] == Number(0) && std::abs(r[3].imag()) < 1e-15);
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      EXPECT_TRUE(std::abs(q[2 * i] * r[j] + q[2 * i + 1] * r[2 + j] - whole[i][j]) < 1e-14);
      const Number product = std::conj(q[i]) * q[j] + std::conj(q[2 + i]) * q[2 + j];
      EXPECT_TRUE(std::abs(product - Number(i == j)) < 1e-14);
    }
  }
}

TEST(Qr, FullAndThin) {
  const Tensor tall = MakeTensor<double>({3, 1}, {0, 3, 4});
  OpTest("Qr").Input(tall)
      .Expect(MakeTensor<double>({3, 1}, {0, -0.6, -0.8}))
      .Expect(MakeTensor<double>({1, 1}, {-5}))
      .Within(kRounded).Run();
  OpTest("Qr").Input(tall).Attr("full_matrices", true)
      .Expect(MakeTensor<double>({3, 3}, {0, -0.6, -0.8, -0.6, 0.64, -0.48, -0.8, -0.48, 0.36}))
      .Expect(MakeTensor<double>({3, 1}, {-5, 0, 0}))
      .Within(kRounded).Run();
}

TEST(Qr, ATriangleIsLeft) {
  OpTest("Qr").Input(MakeTensor<float>({2, 3}, {1, 2, 3, 0, 4, 5}))
      .Expect(MakeTensor<float>({2, 2}, {1, 0, 0, 1}))
      .Expect(MakeTensor<float>({2, 3}, {1, 2, 3, 0, 4, 5}))
      .Run();
}

TEST(Qr, RejectsVectors) {
  OpTest("Qr").Input(MakeTensor<float>({int64_t{1} << 40, 0}, {}))
      .Expect(MakeTensor<float>({int64_t{1} << 40, 0}, {})).Expect(MakeTensor<float>({0, 0}, {})).Run();
  OpTest("Qr").Input(MakeTensor<float>({2}, {1, 2})).RunExpectingError(Code::kInvalidArgument, "");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
