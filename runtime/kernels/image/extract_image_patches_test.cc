#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

std::vector<int64_t> Two(int64_t rows, int64_t cols) { return {1, rows, cols, 1}; }

TEST(ExtractImagePatches, TakesTheSurroundings) {
  const Tensor image = MakeTensor<int32_t>({1, 2, 3, 1}, {1, 2, 3, 4, 5, 6});
  OpTest("ExtractImagePatches").Input(image).Attr("ksizes", Two(2, 2)).Attr("strides", Two(1, 1))
      .Attr("rates", Two(1, 1)).Attr("padding", std::string("VALID"))
      .Expect(MakeTensor<int32_t>({1, 1, 2, 4}, {1, 2, 4, 5, 2, 3, 5, 6})).Run();
  OpTest("ExtractImagePatches").Input(image).Attr("ksizes", Two(1, 3)).Attr("strides", Two(2, 2))
      .Attr("rates", Two(1, 1)).Attr("padding", std::string("SAME"))
      .Expect(MakeTensor<int32_t>({1, 1, 2, 3}, {0, 1, 2, 2, 3, 0})).Run();
  OpTest("ExtractImagePatches").Input(image).Attr("ksizes", Two(1, 2)).Attr("strides", Two(1, 1))
      .Attr("rates", Two(1, 2)).Attr("padding", std::string("VALID"))
      .Expect(MakeTensor<int32_t>({1, 2, 1, 2}, {1, 3, 4, 6})).Run();
}

// As in TensorFlow 2.21: none where a patch is larger than the image by less than a step, else refused.
TEST(ExtractImagePatches, OfAnImageThatIsSmallerThanAPatch) {
  const Tensor image = MakeTensor<float>({1, 4, 4, 1}, std::vector<double>(16, 1));
  const auto patches = [&image](int64_t rate, int64_t stride) {
    OpTest test("ExtractImagePatches");
    test.Input(image).Attr("ksizes", Two(3, 3)).Attr("strides", Two(stride, stride))
        .Attr("rates", Two(rate, rate)).Attr("padding", std::string("VALID"));
    return test;
  };
  for (const int64_t stride : {1, 2, 3}) {
    patches(2, stride).Expect(MakeTensor<float>({1, 0, 0, 9}, {})).Run();
  }
  patches(3, 2).Expect(MakeTensor<float>({1, 0, 0, 9}, {})).Run();
  patches(3, 1).RunExpectingError(Code::kInvalidArgument, "Computed output size would be negative: -2");
}

TEST(ExtractImagePatches, RejectsWhatIsNoPatch) {
  const Tensor image = MakeTensor<float>({1, 1, 1, 1}, {1});
  OpTest("ExtractImagePatches").Input(image).Attr("ksizes", std::vector<int64_t>{2, 1, 1, 1})
      .Attr("strides", Two(1, 1)).Attr("rates", Two(1, 1)).Attr("padding", std::string("SAME"))
      .RunExpectingError(Code::kInvalidArgument, "ksizes must be");
  OpTest("ExtractImagePatches").Input(image).Attr("ksizes", Two(1, 1))
      .Attr("strides", Two(0, 1)).Attr("rates", Two(1, 1)).Attr("padding", std::string("SAME"))
      .RunExpectingError(Code::kInvalidArgument, "strides must be positive");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
