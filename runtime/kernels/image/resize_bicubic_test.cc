#include "testing/op_test.h"
#include "testing/random_values.h"

namespace tfbuild {
namespace testing {
namespace {

Tensor Size(double rows, double cols) { return MakeTensor<int32_t>({2}, {rows, cols}); }

TEST(ResizeBicubic, KeepsWhatIsThere) {
  const Tensor image = MakeTensor<float>({1, 2, 3, 1}, {1, 2, 3, 4, 5, 6});
  OpTest("ResizeBicubic").Input(image).Input(Size(2, 3)).Expect(image).Run();
  OpTest("ResizeBicubic").Input(image).Input(Size(2, 3)).Attr("half_pixel_centers", true)
      .Expect(image).Run();
  OpTest("ResizeBicubic").Input(MakeTensor<uint8_t>({1, 1, 1, 2}, {7, 9})).Input(Size(2, 2))
      .Expect(MakeTensor<float>({1, 2, 2, 2}, {7, 9, 7, 9, 7, 9, 7, 9})).Run();
}

// Half way between two of a row: -3/32, 19/32, 19/32, -3/32.
TEST(ResizeBicubic, WeighsByCubicPolynomials) {
  OpTest("ResizeBicubic").Input(MakeTensor<float>({1, 1, 4, 1}, {0, 32, 64, 0})).Input(Size(1, 7))
      .Attr("align_corners", true)
      .Expect(MakeTensor<float>({1, 1, 7, 1}, {0, 13, 32, 57, 64, 35, 0})).Run();
}

TEST(ResizeBicubic, GradientIsTheTranspose) {
  for (const bool centres : {false, true}) {
    const Shape small{2, 3, 4, 2}, large{2, 5, 7, 2};
    const Tensor x = MakeTensor<float>(small, RandomValues(small.num_elements(), 1));
    const Tensor g = MakeTensor<float>(large, RandomValues(large.num_elements(), 2));
    const auto there = OpTest("ResizeBicubic").Input(x).Input(Size(5, 7))
                           .Attr("half_pixel_centers", centres).RunOnCpu();
    const auto back = OpTest("ResizeBicubicGrad").Input(g).Input(x)
                          .Attr("half_pixel_centers", centres).RunOnCpu();
    ASSERT_OK(there);
    ASSERT_OK(back);
    const auto dot = [](const Tensor& a, const Tensor& b) {
      const std::vector<double> u = Values(a), v = Values(b);
      double sum = 0;
      for (size_t i = 0; i < u.size(); ++i) sum += u[i] * v[i];
      return sum;
    };
    EXPECT_TRUE(std::abs(dot((*there)[0], g) - dot(x, (*back)[0])) < 1e-5);
  }
}

TEST(ResizeBicubic, RejectsWhatIsNoSize) {
  const Tensor image = MakeTensor<float>({1, 1, 1, 1}, {1});
  OpTest("ResizeBicubic").Input(image).Input(Size(0, 1))
      .RunExpectingError(Code::kInvalidArgument, "positive");
  OpTest("ResizeBicubicGrad").Input(image).Input(MakeTensor<float>({2, 1, 1, 1}, {1, 2}))
      .RunExpectingError(Code::kInvalidArgument, "grads of shape");
  OpTest("ResizeBicubic").Input(image).Input(Size(2147483647, 2147483647))
      .RunExpectingError(Code::kInvalidArgument, "");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
