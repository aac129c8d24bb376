#include "kernels/data/dataset_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(WindowDataset, WindowsAreDatasets) {
  const ElementSpec window{{DType::kVariant}, {PartialShape(Shape{})}};
  const auto windows = [&](int64_t size, int64_t shift, int64_t stride, bool drop) {
    OpTest test = DatasetOpTest("WindowDataset", window).Input(RangeOf(7)).Input(Int(size))
                      .Input(Int(shift)).Input(Int(stride)).Input(Tensor::Scalar<bool>(drop));
    const auto all = ReadAll(DatasetOf(test));
    std::string text;
    for (const Element& one : *all) text += StrCat("[", Numbers(one[0]), "]");
    return text;
  };
  EXPECT_EQ(windows(3, 3, 1, false), "[0 1 2][3 4 5][6]");
  EXPECT_EQ(windows(3, 3, 1, true), "[0 1 2][3 4 5]");
  EXPECT_EQ(windows(2, 1, 3, true), "[0 3][1 4][2 5][3 6]");
  EXPECT_EQ(windows(2, 5, 1, false), "[0 1][5 6]");
  DatasetOpTest("WindowDataset", window).Input(RangeOf(7)).Input(Int(1) ).Input(Int(0)).Input(Int(1))
      .Input(Tensor::Scalar<bool>(true)).RunExpectingError(Code::kInvalidArgument, "shift");
  DatasetOpTest("WindowDataset", window).Input(RangeOf(7)).Input(Int(1 << 30)).Input(Int(1))
      .Input(Int(1 << 30)).Input(Tensor::Scalar<bool>(true))
      .RunExpectingError(Code::kInvalidArgument, "too large");
}

// What groups do is in session/datasets_test.cc, as functions are a session's.
TEST(GroupByWindowDataset, NeedsFunctions) {
  OpTest test = DatasetOpTest("GroupByWindowDataset").Input(RangeOf(3));
  for (const char* name : {"key_func", "reduce_func", "window_size_func"}) {
    test.Attr(name, SomeFunction()).Attr(StrCat("T", name, "_other_arguments"), std::vector<DType>());
  }
  test.RunExpectingError(Code::kUnimplemented, kNoFunctions);
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
