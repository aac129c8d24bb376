
#include "tensor/complex.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

using Number = std::complex<float>;

Tensor Numbers(const Shape& shape, const std::vector<Number>& values) {
  Tensor tensor = *Tensor::Allocate(CpuAllocator(), DType::kComplex64, shape);
  std::copy(values.begin(), values.end(), tensor.mutable_data<Number>());
  return tensor;
}

void Gives(OpTest test, const Shape& shape, const std::vector<Number>& expected) {
  const auto results = test.RunOn(CpuDevice());
  ASSERT_OK(results);
  EXPECT_EQ((*results)[0].shape(), shape);
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE((*results)[0].data<Number>()[i] == expected[i]);
  }
}

TEST(ComplexSum, AlongAxes) {
  const Tensor x = Numbers({2, 3}, {{1, 1}, {2, 0}, {3, -1}, {4, 2}, {5, 1}, {6, 0}});
  Gives(OpTest("Sum").Input(x).Input(Tensor::Vector<int32_t>({0})), {3}, {{5, 3}, {7, 1}, {9, -1}});
  Gives(OpTest("Sum").Input(x).Input(Tensor::Vector<int32_t>({1})), {2}, {{6, 0}, {15, 3}});
  Gives(OpTest("Sum").Input(x).Input(Tensor::Vector<int32_t>({0, 1})).Attr("keep_dims", true),
        {1, 1}, {{21, 3}});
  Gives(OpTest("Mean").Input(x).Input(Tensor::Vector<int32_t>({1})), {2}, {{2, 0}, {5, 1}});
  Gives(OpTest("Sum").Input(x).Input(Tensor::Vector<int32_t>({})), {2, 3},
        {{1, 1}, {2, 0}, {3, -1}, {4, 2}, {5, 1}, {6, 0}});
  Gives(OpTest("Sum").Input(Numbers({0, 2}, {})).Input(Tensor::Vector<int32_t>({0})), {2},
        {{0, 0}, {0, 0}});
}

TEST(ComplexSum, OverTheMiddle) {
  const Tensor x = Numbers({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  Gives(OpTest("Sum").Input(x).Input(Tensor::Vector<int32_t>({1})), {2, 2}, {4, 6, 12, 14});
  Gives(OpTest("Sum").Input(x).Input(Tensor::Vector<int32_t>({0, 2})), {2}, {14, 22});
}

TEST(ComplexProd, AlongAxes) {
  const Tensor x = Numbers({2, 2}, {{1, 1}, {0, 2}, {3, 0}, {1, -1}});
  Gives(OpTest("Prod").Input(x).Input(Tensor::Vector<int32_t>({0})), {2}, {{3, 3}, {2, 2}});
  Gives(OpTest("Prod").Input(x).Input(Tensor::Vector<int32_t>({1})), {2}, {{-2, 2}, {3, -3}});
  Gives(OpTest("Prod").Input(Numbers({0, 1}, {})).Input(Tensor::Vector<int32_t>({0})), {1},
        {{1, 0}});
}

TEST(ComplexProduct, TransposesWithoutConjugating) {
  const Tensor a = Numbers({1, 2}, {{1, 1}, {0, 2}});
  const Tensor b = Numbers({2, 1}, {{1, 0}, {1, -1}});
  Gives(OpTest("MatMul").Input(a).Input(b), {1, 1}, {{3, 3}});
  Gives(OpTest("MatMul").Input(a).Input(a).Attr("transpose_b", true), {1, 1}, {{-4, 2}});
  Gives(OpTest("MatMul").Input(b).Input(b).Attr("transpose_a", true), {1, 1}, {{1, -2}});
}

TEST(ComplexProduct, AdjointsConjugate) {
  const Tensor a = Numbers({1, 1, 2}, {{1, 1}, {0, 2}});
  Gives(OpTest("BatchMatMulV2").Input(a).Input(a).Attr("adj_y", true), {1, 1, 1}, {{6, 0}});
  const Tensor b = Numbers({2, 1}, {{1, 0}, {1, -1}});
  Gives(OpTest("BatchMatMulV2").Input(b).Input(b).Attr("adj_x", true), {1, 1}, {{3, 0}});
}

TEST(ComplexProduct, RefusesWhatIsNoMatrix) {
  EXPECT_ERROR(OpTest("MatMul").Input(Numbers({2}, {1, 2})).Input(Numbers({2}, {1, 2})).RunOn(CpuDevice()),
               Code::kInvalidArgument, "");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
