#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

template <typename T>
void TurnsRound() {
  OpTest("ReverseV2")
      .Input(MakeTensor<T>({2, 3}, {1, 2, 3, 4, 5, 6}))
      .Input(Tensor::Vector<int32_t>({-1, 0}))
      .Expect(MakeTensor<T>({2, 3}, {6, 5, 4, 3, 2, 1}))
      .Run();
  OpTest("ReverseV2")
      .Input(MakeTensor<T>({2, 3}, {1, 2, 3, 4, 5, 6}))
      .Input(Tensor::Vector<int32_t>({}))
      .Expect(MakeTensor<T>({2, 3}, {1, 2, 3, 4, 5, 6}))
      .Run();
}

TEST(Reverse, Float) { TurnsRound<float>(); }
TEST(Reverse, Double) { TurnsRound<double>(); }
TEST(Reverse, Half) { TurnsRound<Half>(); }
TEST(Reverse, Int8) { TurnsRound<int8_t>(); }

TEST(Reverse, RejectsAxes) {
  for (const std::vector<int32_t>& axes : {std::vector<int32_t>{1}, std::vector<int32_t>{0, -1}}) {
    OpTest("ReverseV2")
        .Input(MakeTensor<float>({2}, {1, 2}))
        .Input(Tensor::Vector<int32_t>(axes))
        .RunExpectingError(Code::kInvalidArgument, "axis");
  }
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
