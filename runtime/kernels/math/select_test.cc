#include "testing/infer_shape.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(Select, AllTypes) {
#define CASE(T)                                                                              \
  for (const char* op : {"Select", "SelectV2"}) {                                            \
    OpTest(op).Input(MakeTensor<bool>({3}, {1, 0, 1})).Input(MakeTensor<T>({3}, {1, 2, 3}))  \
        .Input(MakeTensor<T>({3}, {4, 5, 6})).Expect(MakeTensor<T>({3}, {1, 5, 3})).Run();   \
  }
  TFBUILD_NUMBER_TYPES(CASE)
#undef CASE
}

TEST(Select, ScalarAndRowCondition) {
  const Tensor t = MakeTensor<float>({2, 2}, {1, 2, 3, 4});
  const Tensor e = MakeTensor<float>({2, 2}, {5, 6, 7, 8});
  OpTest("Select").Input(MakeTensor<bool>({}, {0})).Input(t).Input(e).Expect(e).Run();
  OpTest("Select").Input(MakeTensor<bool>({2}, {0, 1})).Input(t).Input(e)
      .Expect(MakeTensor<float>({2, 2}, {5, 6, 3, 4})).Run();
}

TEST(SelectV2, Broadcasts) {
  OpTest("SelectV2").Input(MakeTensor<bool>({2}, {0, 1}))
      .Input(MakeTensor<int32_t>({2, 1}, {1, 2})).Input(Tensor::Scalar<int32_t>(9))
      .Expect(MakeTensor<int32_t>({2, 2}, {9, 1, 9, 2})).Run();
}

TEST(SelectV2, Strings) {
  OpTest test("SelectV2");
  test.Input(MakeTensor<bool>({2}, {0, 1})).Input(Tensor::Strings({}, {"yes"}));
  const Result<std::vector<Tensor>> outputs = test.Input(Tensor::Strings({}, {"no"})).RunOnCpu();
  ASSERT_OK(outputs);
  EXPECT_EQ((*outputs)[0].data<std::string>()[0], std::string("no"));
  EXPECT_EQ((*outputs)[0].data<std::string>()[1], std::string("yes"));
}

TEST(Select, Rejects) {
  const Tensor two = MakeTensor<float>({2}, {1, 2});
  const Tensor three = MakeTensor<float>({3}, {1, 2, 3});
  const Tensor condition = MakeTensor<bool>({3}, {1, 0, 1});
  OpTest("Select").Input(condition).Input(two).Input(two)
      .RunExpectingError(Code::kInvalidArgument, "fits neither");
  OpTest("Select").Input(condition).Input(two).Input(three)
      .RunExpectingError(Code::kInvalidArgument, "incompatible");
  OpTest("SelectV2").Input(condition).Input(two).Input(two)
      .RunExpectingError(Code::kInvalidArgument, "broadcast");
}

TEST(SelectV2, InfersShapes) {
  InferShape select("SelectV2");
  select.Input(DType::kBool, {-1, 1}).Input(DType::kFloat, {4, 3}).Input(Tensor::Scalar(0.0f));
  EXPECT_EQ(*select.Infer(), PartialShape({4, 3}));
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
