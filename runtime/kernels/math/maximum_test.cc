#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(Maximum, AllTypes) {
#define CASE(T)                                                                         \
  OpTest("Maximum").Input(MakeTensor<T>({3}, {1, 5, 3})).Input(MakeTensor<T>({3}, {4, 2, 3})) \
      .Expect(MakeTensor<T>({3}, {4, 5, 3})).Run();                                     \
  OpTest("Minimum").Input(MakeTensor<T>({3}, {1, 5, 3})).Input(MakeTensor<T>({3}, {4, 2, 3})) \
      .Expect(MakeTensor<T>({3}, {1, 2, 3})).Run();
  TFBUILD_NUMBER_TYPES(CASE)
#undef CASE
}

TEST(Maximum, PassesNaNFromEitherSide) {
  const Tensor x = MakeTensor<float>({2}, {NAN, 1});
  const Tensor y = MakeTensor<float>({2}, {1, NAN});
  for (const char* op : {"Maximum", "Minimum"}) {
    OpTest(op).Input(x).Input(y).Expect(MakeTensor<float>({2}, {NAN, NAN})).Run();
  }
}

TEST(Maximum, AgainstAScalar) {
  OpTest("Maximum").Input(MakeTensor<float>({2, 2}, {-1, 0, 2, -3})).Input(Tensor::Scalar(0.0f))
      .Expect(MakeTensor<float>({2, 2}, {0, 0, 2, 0})).Run();
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
