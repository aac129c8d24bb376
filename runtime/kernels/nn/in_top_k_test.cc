#include <limits>

#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <typename Label>
void Finds() {
  const Tensor scores = MakeTensor<float>({4, 3}, {1, 3, 2, 5, 5, 5, 9, 8, 7, 0, 1, kInfinity});
  const Tensor targets = MakeTensor<Label>({4}, {2, 0, 2, 0});
  OpTest("InTopKV2").Input(scores).Input(targets).Input(MakeTensor<Label>({}, {2}))
      .Expect(MakeTensor<bool>({4}, {1, 1, 0, 0})).Run();
  OpTest("InTopK").Input(scores).Input(targets).Attr("k", int64_t{1})
      .Expect(MakeTensor<bool>({4}, {0, 1, 0, 0})).Run();
}

TEST(InTopK, Int32) { Finds<int32_t>(); }
TEST(InTopK, Int64) { Finds<int64_t>(); }

TEST(InTopK, ATargetThatIsNoClassIsInNoList) {
  OpTest("InTopKV2").Input(MakeTensor<float>({2, 2}, {1, 2, 1, 2}))
      .Input(MakeTensor<int32_t>({2}, {-1, 2})).Input(MakeTensor<int32_t>({}, {2}))
      .Expect(MakeTensor<bool>({2}, {0, 0})).Run();
}

TEST(InTopK, NoRows) {
  OpTest("InTopKV2").Input(MakeTensor<float>({0, 2}, {})).Input(MakeTensor<int32_t>({0}, {}))
      .Input(MakeTensor<int32_t>({}, {1})).Expect(MakeTensor<bool>({0}, {})).Run();
}

TEST(InTopK, RejectsOtherShapes) {
  OpTest("InTopKV2").Input(MakeTensor<float>({2, 1}, {1, 2}))
      .Input(MakeTensor<int32_t>({1}, {0})).Input(MakeTensor<int32_t>({}, {1}))
      .RunExpectingError(Code::kInvalidArgument, "");
  OpTest("InTopKV2").Input(MakeTensor<float>({1, 1}, {1}))
      .Input(MakeTensor<int32_t>({1}, {0})).Input(MakeTensor<int32_t>({1}, {1}))
      .RunExpectingError(Code::kInvalidArgument, "k must be a scalar");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
