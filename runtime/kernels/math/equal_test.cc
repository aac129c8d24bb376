#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

Tensor Bools(const Shape& shape, const std::vector<double>& values) {
  return MakeTensor<bool>(shape, values);
}

TEST(Equal, AllTypes) {
#define CASE(T)                                                                              \
  OpTest("Equal").Input(MakeTensor<T>({3}, {1, 0, 1})).Input(MakeTensor<T>({3}, {1, 1, 0}))  \
      .Expect(Bools({3}, {1, 0, 0})).Run();                                                  \
  OpTest("NotEqual").Input(MakeTensor<T>({3}, {1, 0, 1})).Input(Tensor::Scalar(T(1)))        \
      .Expect(Bools({3}, {0, 1, 0})).Run();
  TFBUILD_NUMBER_TYPES(CASE)
  CASE(bool)
#undef CASE
}

TEST(Equal, NaNEqualsNothing) {
  OpTest("Equal").Input(Tensor::Scalar(NAN)).Input(Tensor::Scalar(NAN)).Expect(Bools({}, {0}))
      .Run();
}

TEST(Equal, Strings) {
  OpTest test("Equal");
  test.Input(Tensor::Strings({2}, {"a", "b"})).Input(Tensor::Strings({2}, {"a", "c"}));
  const Result<std::vector<Tensor>> outputs = test.RunOnCpu();
  ASSERT_OK(outputs);
  ExpectClose((*outputs)[0], Bools({2}, {1, 0}), Ulps(0));
}

TEST(Equal, IncompatibleShapes) {
  const Tensor two = MakeTensor<float>({2}, {1, 2});
  const Tensor three = MakeTensor<float>({3}, {1, 2, 3});
  OpTest("Equal").Input(two).Input(three).RunExpectingError(Code::kInvalidArgument, "broadcast");
  OpTest("Equal").Input(two).Input(three).Attr("incompatible_shape_error", false)
      .Expect(Bools({}, {0})).Run();
  OpTest("NotEqual").Input(two).Input(three).Attr("incompatible_shape_error", false)
      .Expect(Bools({}, {1})).Run();
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
