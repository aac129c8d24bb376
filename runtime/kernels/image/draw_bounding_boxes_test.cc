#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(DrawBoundingBoxes, DrawsFrames) {
  const Tensor canvas = MakeTensor<float>({1, 3, 4, 1}, std::vector<double>(12, 0));
  OpTest("DrawBoundingBoxes").Input(canvas).Input(MakeTensor<float>({1, 1, 4}, {0, 0, 1, 1}))
      .Expect(MakeTensor<float>({1, 3, 4, 1}, {1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1})).Run();
}

TEST(DrawBoundingBoxes, TakesColoursInTurns) {
  const Tensor canvas = MakeTensor<float>({1, 1, 1, 3}, {0, 0, 0});
  OpTest("DrawBoundingBoxes").Input(canvas).Input(MakeTensor<float>({1, 2, 4}, {0, 0, 1, 1, 0, 0, 1, 1}))
      .Expect(MakeTensor<float>({1, 1, 1, 3}, {0, 0, 1})).Run();
  OpTest("DrawBoundingBoxesV2").Input(canvas).Input(MakeTensor<float>({1, 1, 4}, {0, 0, 1, 1}))
      .Input(MakeTensor<float>({1, 3}, {0.25, 0.5, 0.75}))
      .Expect(MakeTensor<float>({1, 1, 1, 3}, {0.25, 0.5, 0.75})).Run();
}

TEST(DrawBoundingBoxes, LeavesOutWhatIsOutside) {
  const Tensor canvas = MakeTensor<float>({1, 2, 2, 1}, {5, 5, 5, 5});
  const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
  OpTest("DrawBoundingBoxes").Input(canvas)
      .Input(MakeTensor<float>({1, 4, 4}, {2, 2, 3, 3, -inf, -inf, inf, inf, 1, 1, 0, 0, nan, nan, nan, nan}))
      .Expect(canvas).Run();
}

TEST(DrawBoundingBoxes, RejectsWhatIsNoBox) {
  OpTest("DrawBoundingBoxes").Input(MakeTensor<float>({1, 1, 1, 2}, {0, 0}))
      .Input(MakeTensor<float>({1, 0, 4}, {}))
      .RunExpectingError(Code::kInvalidArgument, "Channel depth");
  OpTest("DrawBoundingBoxes").Input(MakeTensor<float>({1, 1, 1, 1}, {0}))
      .Input(MakeTensor<float>({2, 0, 4}, {}))
      .RunExpectingError(Code::kInvalidArgument, "boxes tensor");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
