#include "testing/infer_shape.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

Tensor Ints(const std::vector<int32_t>& values) { return Tensor::Vector(values); }

TEST(BroadcastTo, AllTypes) {
#define CASE(T)                                                                     \
  OpTest("BroadcastTo").Input(MakeTensor<T>({2, 1}, {1, 2})).Input(Ints({2, 2, 3})) \
      .Expect(MakeTensor<T>({2, 2, 3}, {1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2})).Run();
  TFBUILD_NUMBER_TYPES(CASE)
#undef CASE
}

TEST(BroadcastTo, ScalarsRowsAndNothing) {
  OpTest("BroadcastTo").Input(Tensor::Scalar(4.0f)).Input(Ints({3}))
      .Expect(MakeTensor<float>({3}, {4, 4, 4})).Run();
  OpTest("BroadcastTo").Input(MakeTensor<float>({2}, {1, 2})).Input(Ints({2, 2}))
      .Expect(MakeTensor<float>({2, 2}, {1, 2, 1, 2})).Run();
  OpTest("BroadcastTo").Input(MakeTensor<float>({1}, {1})).Input(Ints({0}))
      .Expect(MakeTensor<float>({0}, {})).Run();
}

TEST(BroadcastTo, Rejects) {
  const Tensor x = MakeTensor<float>({2}, {1, 2});
  const auto fails = [&x](const std::vector<int32_t>& shape, const std::string& part) {
    OpTest("BroadcastTo").Input(x).Input(Ints(shape))
        .RunExpectingError(Code::kInvalidArgument, part);
  };
  fails({3}, "cannot broadcast");
  fails({1}, "cannot broadcast");
  fails({}, "lower rank");
  fails({-1}, "negative");
}

TEST(BroadcastGradientArgs, ListsTheStretchedAxes) {
  const auto args = [](const std::vector<int32_t>& s0, const std::vector<int32_t>& s1,
                       const std::vector<int32_t>& r0, const std::vector<int32_t>& r1) {
    OpTest("BroadcastGradientArgs").Input(Ints(s0)).Input(Ints(s1)).Expect(Ints(r0))
        .Expect(Ints(r1)).Run();
  };
  args({2, 1, 3}, {4, 1}, {1}, {0, 2});
  args({2, 3}, {2, 3}, {}, {});
  args({2, 3}, {}, {}, {0, 1});
  args({5}, {3, 5}, {0}, {});
  args({1}, {1}, {}, {});
}

TEST(BroadcastGradientArgs, RejectsShapesThatDoNotFit) {
  OpTest("BroadcastGradientArgs").Input(Ints({2, 3})).Input(Ints({2, 4}))
      .RunExpectingError(Code::kInvalidArgument, "Incompatible shapes");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
