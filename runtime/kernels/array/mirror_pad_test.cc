#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

const Tensor Borders(const std::vector<double>& values) {
  return MakeTensor<int32_t>({static_cast<int64_t>(values.size()) / 2, 2}, values);
}

template <typename T>
void MirrorsBothWays() {
  OpTest("MirrorPad")
      .Input(MakeTensor<T>({2, 3}, {1, 2, 3, 4, 5, 6}))
      .Input(Borders({1, 1, 2, 1}))
      .Attr("mode", std::string("REFLECT"))
      .Expect(MakeTensor<T>({4, 6}, {6, 5, 4, 5, 6, 5, 3, 2, 1, 2, 3, 2,
                                     6, 5, 4, 5, 6, 5, 3, 2, 1, 2, 3, 2}))
      .Run();
  OpTest("MirrorPad")
      .Input(MakeTensor<T>({2, 3}, {1, 2, 3, 4, 5, 6}))
      .Input(Borders({0, 2, 1, 0}))
      .Attr("mode", std::string("SYMMETRIC"))
      .Expect(MakeTensor<T>({4, 4}, {1, 1, 2, 3, 4, 4, 5, 6, 4, 4, 5, 6, 1, 1, 2, 3}))
      .Run();
}

TEST(MirrorPad, Float) { MirrorsBothWays<float>(); }
TEST(MirrorPad, Double) { MirrorsBothWays<double>(); }
TEST(MirrorPad, Half) { MirrorsBothWays<Half>(); }
TEST(MirrorPad, Int32) { MirrorsBothWays<int32_t>(); }

template <typename T>
void AddsWhatWasMirrored() {
  OpTest("MirrorPadGrad")
      .Input(MakeTensor<T>({1, 6}, {1, 2, 3, 4, 5, 6}))
      .Input(Borders({0, 0, 2, 1}))
      .Attr("mode", std::string("REFLECT"))
      .Expect(MakeTensor<T>({1, 3}, {3, 12, 6}))
      .Run();
  OpTest("MirrorPadGrad")
      .Input(MakeTensor<T>({1, 6}, {1, 2, 3, 4, 5, 6}))
      .Input(Borders({0, 0, 2, 1}))
      .Attr("mode", std::string("SYMMETRIC"))
      .Expect(MakeTensor<T>({1, 3}, {5, 5, 11}))
      .Run();
}

TEST(MirrorPadGrad, Float) { AddsWhatWasMirrored<float>(); }
TEST(MirrorPadGrad, Double) { AddsWhatWasMirrored<double>(); }
TEST(MirrorPadGrad, BFloat16) { AddsWhatWasMirrored<BFloat16>(); }

TEST(MirrorPad, RejectsMoreThanThereIsToMirror) {
  for (const char* mode : {"REFLECT", "SYMMETRIC"}) {
    OpTest("MirrorPad")
        .Input(MakeTensor<float>({1, 3}, {1, 2, 3}))
        .Input(Borders({0, 0, 4, 0}))
        .Attr("mode", std::string(mode))
        .RunExpectingError(Code::kInvalidArgument, "no greater");
  }
  OpTest("MirrorPad")
      .Input(MakeTensor<float>({1, 3}, {1, 2, 3}))
      .Input(Borders({0, 0, -1, 0}))
      .Attr("mode", std::string("REFLECT"))
      .RunExpectingError(Code::kInvalidArgument, "non-negative");
  OpTest("MirrorPad")
      .Input(MakeTensor<float>({3}, {1, 2, 3}))
      .Input(Borders({0, 0, 1, 0}))
      .Attr("mode", std::string("REFLECT"))
      .RunExpectingError(Code::kInvalidArgument, "paddings");
}

TEST(MirrorPadGrad, RejectsBordersWiderThanTheTensor) {
  OpTest("MirrorPadGrad")
      .Input(MakeTensor<float>({3}, {1, 2, 3}))
      .Input(Borders({2, 2}))
      .Attr("mode", std::string("SYMMETRIC"))
      .RunExpectingError(Code::kInvalidArgument, "wider");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
