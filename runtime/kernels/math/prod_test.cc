#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(Prod, AllTypes) {
#define CASE(T)                                                                         \
  OpTest("Prod").Input(MakeTensor<T>({2, 3}, {1, 2, 3, 4, 5, 6}))                       \
      .Input(Tensor::Vector<int32_t>({0})).Expect(MakeTensor<T>({3}, {4, 10, 18})).Run(); \
  OpTest("Prod").Input(MakeTensor<T>({2, 3}, {1, 2, 3, 1, 5, 6}))                       \
      .Input(Tensor::Vector<int32_t>({1})).Expect(MakeTensor<T>({2}, {6, 30})).Run();
  TFBUILD_NUMBER_TYPES(CASE)
#undef CASE
}

TEST(Prod, OfNothingIsOne) {
  OpTest("Prod").Input(MakeTensor<int32_t>({0}, {})).Input(Tensor::Vector<int32_t>({0}))
      .Expect(MakeTensor<int32_t>({}, {1})).Run();
}

TEST(Prod, LongRow) {
  std::vector<double> values(100000, 1.0);
  values[17] = 3;
  values[50000] = -2;
  OpTest("Prod").Input(MakeTensor<float>({100000}, values)).Input(Tensor::Vector<int32_t>({0}))
      .Expect(MakeTensor<float>({}, {-6})).Run();
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
