#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(AddN, AllTypes) {
#define CASE(T)                                                                          \
  OpTest("AddN").Input(MakeTensor<T>({2}, {1, 2})).Input(MakeTensor<T>({2}, {3, 4}))     \
      .Input(MakeTensor<T>({2}, {5, 6})).Expect(MakeTensor<T>({2}, {9, 12})).Run();
  TFBUILD_NUMBER_TYPES(CASE)
#undef CASE
}

TEST(AddN, OneAndMany) {
  const Tensor x = MakeTensor<float>({2}, {1, 2});
  OpTest("AddN").Input(x).Expect(x).Run();
  const Tensor long_one = MakeTensor<float>({100001}, std::vector<double>(100001, 1.5));
  OpTest("AddN").Input(long_one).Input(long_one)
      .Expect(MakeTensor<float>({100001}, std::vector<double>(100001, 3.0))).Run();
}

TEST(AddN, MoreThanAGpuTakesAtOnce) {
  OpTest test("AddN");
  for (int k = 1; k <= 100; ++k) test.Input(MakeTensor<float>({2}, {double(k), -double(k)}));
  test.Attr("N", int64_t{100}).Expect(MakeTensor<float>({2}, {5050, -5050})).Run();
}

TEST(AddN, RejectsDifferentShapes) {
  OpTest("AddN").Input(MakeTensor<float>({1}, {1})).Input(MakeTensor<float>({2}, {1, 2}))
      .RunExpectingError(Code::kInvalidArgument, "incompatible");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
