#include "graph/tensor_proto.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

// Rows {_, 5, 6} and {_, _, _} and {7, _, _}.
Tensor Indices() { return MakeTensor<int64_t>({3, 2}, {0, 1, 0, 2, 2, 0}); }
Tensor Values() { return Tensor::Vector<float>({5, 6, 7}); }
Tensor Sizes() { return Tensor::Vector<int64_t>({3, 3}); }

Tensor Serialized(const char* op, DType out_type) {
  const auto rows = OpTest(op).Input(Indices()).Input(Values()).Input(Sizes())
                        .Attr("out_type", out_type).RunOnCpu();
  EXPECT_OK(rows.status());
  return (*rows)[0];
}

TEST(SerializeSparse, ComesBack) {
  for (const DType type : {DType::kString, DType::kVariant}) {
    OpTest("DeserializeSparse").Input(Serialized("SerializeSparse", type))
        .Attr("dtype", DType::kFloat).Expect(Indices()).Expect(Values()).Expect(Sizes()).Run();
    OpTest("DeserializeSparse").Input(Serialized("SerializeManySparse", type))
        .Attr("dtype", DType::kFloat).Expect(Indices()).Expect(Values()).Expect(Sizes()).Run();
  }
}

TEST(SerializeSparse, RowsAreSparseTensorsOfTheirOwn) {
  const Tensor rows = Serialized("SerializeManySparse", DType::kString);
  EXPECT_EQ(rows.shape(), (Shape{3, 3}));
  const std::string* parts = rows.data<std::string>();
  OpTest("DeserializeSparse").Input(Tensor::Strings(Shape{3}, {parts[6], parts[7], parts[8]}))
      .Attr("dtype", DType::kFloat).Expect(MakeTensor<int64_t>({1, 1}, {0}))
      .Expect(Tensor::Vector<float>({7})).Expect(Tensor::Vector<int64_t>({3})).Run();
  OpTest("DeserializeManySparse")
      .Input(Tensor::Strings(Shape{2, 3}, {parts[6], parts[7], parts[8], parts[0], parts[1], parts[2]}))
      .Attr("dtype", DType::kFloat).Expect(MakeTensor<int64_t>({3, 2}, {0, 0, 1, 1, 1, 2}))
      .Expect(Tensor::Vector<float>({7, 5, 6})).Expect(Tensor::Vector<int64_t>({2, 3})).Run();
}

TEST(SerializeSparse, RefusesWhatIsNone) {
  OpTest("SerializeManySparse").Input(MakeTensor<int64_t>({2, 1}, {1, 0}))
      .Input(Tensor::Vector<float>({5, 6})).Input(Tensor::Vector<int64_t>({2}))
      .RunExpectingError(Code::kInvalidArgument, "out of order");
  OpTest("DeserializeSparse").Input(Tensor::Strings(Shape{2}, {"", ""})).Attr("dtype", DType::kFloat)
      .RunExpectingError(Code::kInvalidArgument, "3 columns");
  OpTest("DeserializeSparse").Input(Serialized("SerializeSparse", DType::kString))
      .Attr("dtype", DType::kInt64).RunExpectingError(Code::kInvalidArgument, "of type int64");
  const std::string scalar = SerializeTensor(Tensor::Scalar<float>(1));
  OpTest("DeserializeSparse").Input(Tensor::Strings(Shape{3}, {scalar, scalar, scalar}))
      .Attr("dtype", DType::kFloat).RunExpectingError(Code::kInvalidArgument, "should be a vector");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
