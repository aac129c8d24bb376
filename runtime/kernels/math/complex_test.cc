
#include "tensor/complex.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

// A tensor of complex numbers.
template <typename T>
Tensor Numbers(const Shape& shape, const std::vector<std::complex<double>>& values) {
  Tensor tensor = *Tensor::Allocate(CpuAllocator(), DTypeOf<std::complex<T>>::value, shape);
  for (size_t i = 0; i < values.size(); ++i) {
    tensor.mutable_data<std::complex<T>>()[i] = std::complex<T>(values[i]);
  }
  return tensor;
}

// Checks that an op on complex numbers gives that, by its real and imaginary parts.
template <typename T>
void Gives(OpTest test, const Shape& shape, const std::vector<std::complex<double>>& expected) {
  const auto results = test.RunOn(CpuDevice());
  ASSERT_OK(results);
  const Tensor& result = (*results)[0];
  EXPECT_TRUE(result.dtype() == DTypeOf<std::complex<T>>::value);
  EXPECT_EQ(result.shape(), shape);
  for (size_t i = 0; i < expected.size(); ++i) {
    const std::complex<double> actual(result.data<std::complex<T>>()[i]);
    EXPECT_NEAR(actual.real(), expected[i].real(), 4e-7 * std::abs(expected[i]));
    EXPECT_NEAR(actual.imag(), expected[i].imag(), 4e-7 * std::abs(expected[i]));
  }
}

template <typename T>
void HasParts() {
  const DType part = DTypeOf<T>::value;
  const DType whole = DTypeOf<std::complex<T>>::value;
  const Tensor numbers = Numbers<T>({2}, {{3, -4}, {0, 2}});
  Gives<T>(OpTest("Complex")
               .Input(MakeTensor<T>({2}, {3, 0}))
               .Input(MakeTensor<T>({2}, {-4, 2}))
               .Attr("Tout", whole),
           {2}, {{3, -4}, {0, 2}});
  const auto expect = [&](const std::string& op, const std::vector<double>& values) {
    OpTest(op).Input(numbers).Attr("Tout", part).Expect(MakeTensor<T>({2}, values)).Run();
  };
  expect("Real", {3, 0});
  expect("Imag", {-4, 2});
  expect("ComplexAbs", {5, 2});
  expect("Angle", {std::atan2(-4.0, 3.0), std::acos(0.0)});
  Gives<T>(OpTest("Conj").Input(numbers), {2}, {{3, 4}, {0, -2}});
}
TEST(Complex, HasParts64) { HasParts<float>(); }
TEST(Complex, HasParts128) { HasParts<double>(); }

TEST(Complex, ThePartsAndTheWholeAreOfOneWidth) {
  EXPECT_ERROR(OpTest("Complex")
                   .Input(MakeTensor<float>({}, {1}))
                   .Input(MakeTensor<float>({}, {1}))
                   .Attr("Tout", DType::kComplex128)
                   .RunOn(CpuDevice()),
               Code::kNotFound, "no CPU kernel");
}

template <typename T>
void Calculates() {
  const Tensor x = Numbers<T>({2}, {{1, 2}, {3, -1}});
  const Tensor y = Numbers<T>({2}, {{2, -1}, {0, 2}});
  Gives<T>(OpTest("AddV2").Input(x).Input(y), {2}, {{3, 1}, {3, 1}});
  Gives<T>(OpTest("Sub").Input(x).Input(y), {2}, {{-1, 3}, {3, -3}});
  Gives<T>(OpTest("Mul").Input(x).Input(y), {2}, {{4, 3}, {2, 6}});
  Gives<T>(OpTest("Div").Input(x).Input(y), {2}, {{0, 1}, {-0.5, -1.5}});
  Gives<T>(OpTest("RealDiv").Input(x).Input(y), {2}, {{0, 1}, {-0.5, -1.5}});
  Gives<T>(OpTest("Neg").Input(x), {2}, {{-1, -2}, {-3, 1}});
  Gives<T>(OpTest("Square").Input(x), {2}, {{-3, 4}, {8, -6}});
  Gives<T>(OpTest("AddN").Input(x).Input(y).Input(y), {2}, {{5, 0}, {3, 3}});
  OpTest("Equal").Input(x).Input(x).Expect(MakeTensor<bool>({2}, {1, 1})).Run();
  OpTest("NotEqual").Input(x).Input(y).Expect(MakeTensor<bool>({2}, {1, 1})).Run();
}
TEST(Complex, Calculates64) { Calculates<float>(); }
TEST(Complex, Calculates128) { Calculates<double>(); }

TEST(Complex, IsCast) {
  const Tensor x = Numbers<double>({2}, {{1.5, 2}, {0, -1}});
  Gives<float>(OpTest("Cast").Input(x).Attr("DstT", DType::kComplex64), {2}, {{1.5, 2}, {0, -1}});
  OpTest("Cast").Input(x).Attr("DstT", DType::kInt32).Expect(MakeTensor<int32_t>({2}, {1, 0})).Run();
  Gives<float>(OpTest("Cast").Input(MakeTensor<Half>({1}, {2})).Attr("DstT", DType::kComplex64),
               {1}, {{2, 0}});
}

// Elements of 16 bytes go through everything that moves elements.
TEST(Complex, IsMoved) {
  const Tensor x = Numbers<double>({2, 3}, {{1, 9}, {2, 8}, {3, 7}, {4, 6}, {5, 5}, {6, 4}});
  Gives<double>(OpTest("Transpose").Input(x).Input(Tensor::Vector<int32_t>({1, 0})), {3, 2},
                {{1, 9}, {4, 6}, {2, 8}, {5, 5}, {3, 7}, {6, 4}});
  Gives<double>(OpTest("GatherV2")
                    .Input(x)
                    .Input(Tensor::Vector<int32_t>({2, 0}))
                    .Input(Tensor::Scalar<int32_t>(1)),
                {2, 2}, {{3, 7}, {1, 9}, {6, 4}, {4, 6}});
  Gives<double>(OpTest("Slice")
                    .Input(x)
                    .Input(Tensor::Vector<int32_t>({1, 1}))
                    .Input(Tensor::Vector<int32_t>({1, 2})),
                {1, 2}, {{5, 5}, {6, 4}});
  Gives<double>(OpTest("SelectV2")
                    .Input(MakeTensor<bool>({3}, {1, 0, 1}))
                    .Input(x)
                    .Input(Numbers<double>({}, {{0, 1}})),
                {2, 3}, {{1, 9}, {0, 1}, {3, 7}, {4, 6}, {0, 1}, {6, 4}});
  Gives<double>(OpTest("OneHot")
                    .Input(Tensor::Vector<int64_t>({1}))
                    .Input(Tensor::Scalar<int32_t>(2))
                    .Input(Numbers<double>({}, {{1, 1}}))
                    .Input(Numbers<double>({}, {{0, -1}})),
                {1, 2}, {{0, -1}, {1, 1}});
  Gives<double>(OpTest("Fill").Input(Tensor::Vector<int32_t>({2})).Input(Numbers<double>({}, {{1, 2}})),
                {2}, {{1, 2}, {1, 2}});
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
