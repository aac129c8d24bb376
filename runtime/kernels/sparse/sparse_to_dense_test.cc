#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

OpTest ToDense(const Tensor& indices, const Tensor& shape, const Tensor& values) {
  OpTest test("SparseToDense");
  test.Input(indices).Input(shape).Input(values).Input(Tensor::Scalar<float>(-1));
  return test;
}

TEST(SparseToDense, OfEachRankOfIndices) {
  ToDense(MakeTensor<int64_t>({2, 2}, {0, 1, 1, 2}), MakeTensor<int64_t>({2}, {2, 3}),
          MakeTensor<float>({2}, {5, 6}))
      .Expect(MakeTensor<float>({2, 3}, {-1, 5, -1, -1, -1, 6})).Run();
  ToDense(MakeTensor<int32_t>({2}, {0, 2}), MakeTensor<int32_t>({1}, {3}), Tensor::Scalar<float>(7))
      .Expect(MakeTensor<float>({3}, {7, -1, 7})).Run();
  ToDense(Tensor::Scalar<int32_t>(1), MakeTensor<int32_t>({1}, {2}), Tensor::Scalar<float>(7))
      .Expect(MakeTensor<float>({2}, {-1, 7})).Run();
  ToDense(MakeTensor<int64_t>({0, 2}, {}), MakeTensor<int64_t>({2}, {1, 1}),
          MakeTensor<float>({0}, {})).Expect(MakeTensor<float>({1, 1}, {-1})).Run();
}

TEST(SparseToDense, OtherTypes) {
#define CASE(T)                                                                          \
  OpTest("SparseToDense").Input(MakeTensor<int32_t>({1}, {1})).Input(MakeTensor<int32_t>({1}, {2})) \
      .Input(MakeTensor<T>({1}, {1})).Input(MakeTensor<T>(Shape{}, {0}))                 \
      .Expect(MakeTensor<T>({2}, {0, 1})).Run();
  TFBUILD_NUMBER_TYPES(CASE)
  CASE(bool)
#undef CASE
  const auto words = OpTest("SparseToDense").Input(MakeTensor<int32_t>({1}, {1}))
                         .Input(MakeTensor<int32_t>({1}, {2})).Input(Tensor::Strings({}, {"a"}))
                         .Input(Tensor::Strings({}, {"-"})).RunOnCpu();
  ASSERT_OK(words);
  EXPECT_EQ((*words)[0].data<std::string>()[0], "-");
  EXPECT_EQ((*words)[0].data<std::string>()[1], "a");
}

TEST(SparseToDense, ChecksTheOrderWhereAsked) {
  const Tensor shape = MakeTensor<int64_t>({1}, {3}), values = MakeTensor<float>({2}, {5, 6});
  ToDense(MakeTensor<int64_t>({2}, {2, 1}), shape, values)
      .RunExpectingError(Code::kInvalidArgument, "out of order");
  ToDense(MakeTensor<int64_t>({2}, {1, 1}), shape, values)
      .RunExpectingError(Code::kInvalidArgument, "repeated");
  ToDense(MakeTensor<int64_t>({2}, {2, 1}), shape, values).Attr("validate_indices", false)
      .Expect(MakeTensor<float>({3}, {-1, 6, 5})).Run();
}

TEST(SparseToDense, RejectsWhatDoesNotFit) {
  const Tensor shape = MakeTensor<int64_t>({1}, {3}), value = Tensor::Scalar<float>(1);
  for (const double index : {3.0, -1.0, 1e18}) {
    ToDense(MakeTensor<int64_t>({1}, {index}), shape, value).Attr("validate_indices", false)
        .RunExpectingError(Code::kInvalidArgument, "out of bounds");
  }
  ToDense(MakeTensor<int64_t>({1, 2}, {0, 0}), shape, value)
      .RunExpectingError(Code::kInvalidArgument, "output_shape");
  ToDense(MakeTensor<int64_t>({1}, {0}), shape, MakeTensor<float>({2}, {1, 2}))
      .RunExpectingError(Code::kInvalidArgument, "sparse_values");
  ToDense(MakeTensor<int64_t>({1}, {0}), MakeTensor<int64_t>({1}, {1e18}), value)
      .RunExpectingError(Code::kInvalidArgument, "");
}

OpTest Product(const std::vector<double>& indices) {
  OpTest test("SparseTensorDenseMatMul");
  test.Input(MakeTensor<int64_t>({2, 2}, indices)).Input(MakeTensor<float>({2}, {2, 3}))
      .Input(MakeTensor<int64_t>({2}, {2, 3}));
  return test;
}

TEST(SparseTensorDenseMatMul, AllWaysRound) {
  // [[0, 2, 0], [0, 0, 3]]
  const Tensor tall = MakeTensor<float>({3, 2}, {1, 2, 3, 4, 5, 6});
  const Tensor wide = MakeTensor<float>({2, 3}, {1, 3, 5, 2, 4, 6});
  Product({0, 1, 1, 2}).Input(tall).Expect(MakeTensor<float>({2, 2}, {6, 8, 15, 18})).Run();
  Product({0, 1, 1, 2}).Input(wide).Attr("adjoint_b", true)
      .Expect(MakeTensor<float>({2, 2}, {6, 8, 15, 18})).Run();
  Product({0, 1, 1, 2}).Input(wide).Attr("adjoint_a", true)
      .Expect(MakeTensor<float>({3, 3}, {0, 0, 0, 2, 6, 10, 6, 12, 18})).Run();
  Product({0, 1, 1, 2}).Input(wide).Attr("adjoint_a", true).Attr("adjoint_b", true)
      .RunExpectingError(Code::kInvalidArgument, "inner dimension");
  Product({0, 1, 0, 1}).Input(tall).Expect(MakeTensor<float>({2, 2}, {15, 20, 0, 0})).Run();
}

TEST(SparseTensorDenseMatMul, RejectsWrongPlaces) {
  const Tensor tall = MakeTensor<float>({3, 1}, {1, 2, 3});
  Product({0, 1, 2, 2}).Input(tall).RunExpectingError(Code::kInvalidArgument, "out of bounds");
  Product({0, 1, 1, -1}).Input(tall).RunExpectingError(Code::kInvalidArgument, "out of bounds");
  Product({0, 1, 1, 2}).Input(MakeTensor<float>({2, 1}, {1, 2}))
      .RunExpectingError(Code::kInvalidArgument, "inner dimension");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
