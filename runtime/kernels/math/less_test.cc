#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

template <typename T>
void Compares(const char* op, const std::vector<double>& expected) {
  OpTest(op).Input(MakeTensor<T>({3}, {1, 2, 3})).Input(MakeTensor<T>({3}, {2, 2, 2}))
      .Expect(MakeTensor<bool>({3}, expected)).Run();
}

TEST(Less, AllTypes) {
#define CASE(T)                           \
  Compares<T>("Less", {1, 0, 0});         \
  Compares<T>("LessEqual", {1, 1, 0});    \
  Compares<T>("Greater", {0, 0, 1});      \
  Compares<T>("GreaterEqual", {0, 1, 1});
  TFBUILD_NUMBER_TYPES(CASE)
#undef CASE
}

TEST(Less, NaNIsNeither) {
  for (const char* op : {"Less", "LessEqual", "Greater", "GreaterEqual"}) {
    OpTest(op).Input(Tensor::Scalar(NAN)).Input(Tensor::Scalar(1.0f))
        .Expect(MakeTensor<bool>({}, {0})).Run();
  }
}

TEST(Less, Broadcasts) {
  OpTest("Less").Input(MakeTensor<int32_t>({2, 1}, {1, 3}))
      .Input(MakeTensor<int32_t>({3}, {1, 2, 4}))
      .Expect(MakeTensor<bool>({2, 3}, {0, 1, 1, 0, 0, 1})).Run();
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
