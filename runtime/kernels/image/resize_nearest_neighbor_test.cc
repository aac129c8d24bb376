#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

Tensor Size(double rows, double cols) { return MakeTensor<int32_t>({2}, {rows, cols}); }

template <typename T>
void Repeats() {
  const Tensor image = MakeTensor<T>({1, 2, 2, 1}, {1, 2, 3, 4});
  OpTest("ResizeNearestNeighbor").Input(image).Input(Size(3, 4))
      .Expect(MakeTensor<T>({1, 3, 4, 1}, {1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4})).Run();
  OpTest("ResizeNearestNeighbor").Input(image).Input(Size(1, 3)).Attr("align_corners", true)
      .Expect(MakeTensor<T>({1, 1, 3, 1}, {1, 2, 2})).Run();
}

TEST(ResizeNearestNeighbor, Float) { Repeats<float>(); }
TEST(ResizeNearestNeighbor, Uint8) { Repeats<uint8_t>(); }
TEST(ResizeNearestNeighbor, Int64) { Repeats<int64_t>(); }

TEST(ResizeNearestNeighbor, GradientAddsUpCopies) {
  OpTest("ResizeNearestNeighborGrad")
      .Input(MakeTensor<float>({1, 3, 4, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}))
      .Input(Size(2, 2)).Expect(MakeTensor<float>({1, 2, 2, 1}, {14, 22, 19, 23})).Run();
}

TEST(ResizeNearestNeighbor, RejectsWhatIsNoSize) {
  OpTest("ResizeNearestNeighbor").Input(MakeTensor<float>({1, 1, 1, 1}, {1})).Input(Size(1, -1))
      .RunExpectingError(Code::kInvalidArgument, "");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
