#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

// An image of 3 rows of 4 numbers from 1 on.
OpTest Glimpse(const char* op, const Tensor& size, const std::vector<double>& offset) {
  OpTest test(op);
  test.Input(MakeTensor<float>({1, 3, 4, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})).Input(size);
  test.Input(MakeTensor<float>({1, 2}, offset)).Attr("uniform_noise", false);
  return test.Attr("noise", std::string("zero"));
}

Tensor Size(int rows, int columns) {
  return MakeTensor<int32_t>({2}, {static_cast<double>(rows), static_cast<double>(columns)});
}

TEST(ExtractGlimpse, LiesAroundItsCentre) {
  Glimpse("ExtractGlimpse", Size(1, 2), {0, 0}).Expect(MakeTensor<float>({1, 1, 2, 1}, {6, 7})).Run();
  Glimpse("ExtractGlimpse", Size(1, 2), {0, 3}).Attr("normalized", false)
      .Expect(MakeTensor<float>({1, 1, 2, 1}, {7, 8})).Run();
  Glimpse("ExtractGlimpse", Size(1, 2), {2, 3}).Attr("normalized", false).Attr("centered", false)
      .Expect(MakeTensor<float>({1, 1, 2, 1}, {7, 8})).Run();
}

TEST(ExtractGlimpse, TheSecondVersionBeginsAtOffsetsThatAreNotCentered) {
  Glimpse("ExtractGlimpseV2", Size(1, 2), {2, 1}).Attr("normalized", false).Attr("centered", false)
      .Expect(MakeTensor<float>({1, 1, 2, 1}, {10, 11})).Run();
  Glimpse("ExtractGlimpseV2", Size(1, 2), {0, 0}).Expect(MakeTensor<float>({1, 1, 2, 1}, {6, 7})).Run();
}

TEST(ExtractGlimpse, HasNoiseOutside) {
  Glimpse("ExtractGlimpse", Size(3, 4), {1, 1})
      .Expect(MakeTensor<float>({1, 3, 4, 1}, {7, 8, 0, 0, 11, 12, 0, 0, 0, 0, 0, 0})).Run();
  for (const double far : {1e30, -1e30, 9.0}) {
    Glimpse("ExtractGlimpse", Size(1, 2), {far, 0}).Expect(MakeTensor<float>({1, 1, 2, 1}, {0, 0})).Run();
  }
}

TEST(ExtractGlimpse, RefusesWhatIsNone) {
  Glimpse("ExtractGlimpse", Size(0, 2), {0, 0}).RunExpectingError(Code::kInvalidArgument, "positive sides");
  Glimpse("ExtractGlimpse", MakeTensor<int32_t>({1}, {1}), {0, 0})
      .RunExpectingError(Code::kInvalidArgument, "vector of size 2");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
