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
