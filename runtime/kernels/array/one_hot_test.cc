
#include "tensor/complex.h"
#include "testing/infer_shape.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

template <typename TI, typename T>
OpTest OneHot(const Shape& shape, const std::vector<double>& indices, int32_t depth) {
  OpTest test("OneHot");
  test.Input(MakeTensor<TI>(shape, indices)).Input(Tensor::Scalar(depth))
      .Input(Tensor::Scalar(T(5))).Input(Tensor::Scalar(T(2)));
  return test;
}

TEST(OneHot, AllTypes) {
#define CASE(T)                                                                          \
  OneHot<int64_t, T>({2}, {2, 0}, 3).Expect(MakeTensor<T>({2, 3}, {2, 2, 5, 5, 2, 2})).Run();
  TFBUILD_NUMBER_TYPES(CASE)
#undef CASE
  const Tensor expected = MakeTensor<float>({2, 2}, {2, 5, 5, 2});
  OneHot<uint8_t, float>({2}, {1, 0}, 2).Expect(expected).Run();
  OneHot<int8_t, float>({2}, {1, 0}, 2).Expect(expected).Run();
  OneHot<int32_t, float>({2}, {1, 0}, 2).Expect(expected).Run();
}

TEST(OneHot, ComplexOnEveryDevice) {
  const std::complex<double> on(1, 2), off(3, 4);
  OpTest test("OneHot");
  test.Input(Tensor::Vector<int32_t>({1, 0})).Input(Tensor::Scalar<int32_t>(2))
      .Input(Tensor::Scalar(on)).Input(Tensor::Scalar(off));
  for (Device* device : LocalDevices()) {
    const Result<std::vector<Tensor>> outputs = test.RunOn(device);
    ASSERT_OK(outputs);
    const std::complex<double>* values = (*outputs)[0].data<std::complex<double>>();
    EXPECT_TRUE(values[0] == off && values[1] == on && values[2] == on && values[3] == off);
  }
}

TEST(OneHot, AxesAndIndicesOutside) {
  OneHot<int32_t, float>({2, 2}, {0, 1, -1, 3}, 2).Attr("axis", int64_t{1})
      .Expect(MakeTensor<float>({2, 2, 2}, {5, 2, 2, 5, 2, 2, 2, 2})).Run();
  OneHot<int32_t, float>({2}, {1, 0}, 2).Attr("axis", int64_t{0})
      .Expect(MakeTensor<float>({2, 2}, {2, 5, 5, 2})).Run();
  OneHot<int32_t, float>({}, {1}, 2).Expect(MakeTensor<float>({2}, {2, 5})).Run();
  OneHot<int32_t, float>({2}, {1, 0}, 0).Expect(MakeTensor<float>({2, 0}, {})).Run();
}

TEST(OneHot, Rejects) {
  OneHot<int32_t, float>({1}, {0}, -1)
      .RunExpectingError(Code::kInvalidArgument, "depth must be non-negative");
  OneHot<int32_t, float>({1}, {0}, 2).Attr("axis", int64_t{2})
      .RunExpectingError(Code::kInvalidArgument, "out of range");
  OneHot<int32_t, float>({1}, {0}, 2).Attr("axis", int64_t{-2})
      .RunExpectingError(Code::kInvalidArgument, "axis must be >= -1");
}

TEST(OneHot, InfersShapes) {
  InferShape test("OneHot");
  test.Input(DType::kInt32, {-1}).Input(Tensor::Scalar<int32_t>(10)).Input(Tensor::Scalar(1.0f))
      .Input(Tensor::Scalar(0.0f));
  EXPECT_EQ(*test.Infer(), PartialShape({-1, 10}));
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
