#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

// Three boxes, of which the first two overlap, and the scores of two classes.
OpTest Combine(double per_class, double total) {
  OpTest test("CombinedNonMaxSuppression");
  test.Input(MakeTensor<float>({1, 3, 1, 4}, {0, 0, 1, 1, 0, 0, 1, 0.9, -1, 2, 0, 3}));
  test.Input(MakeTensor<float>({1, 3, 2}, {0.9, 0.1, 0.8, 0.3, 0.7, 0.6}));
  test.Input(MakeTensor<int32_t>({}, {per_class})).Input(MakeTensor<int32_t>({}, {total}));
  return test.Input(MakeTensor<float>({}, {0.5})).Input(MakeTensor<float>({}, {0.2}));
}

TEST(CombinedNonMaxSuppression, TakesTheBestOfAllClasses) {
  Combine(2, 4)
      .Expect(MakeTensor<float>({1, 4, 4}, {0, 0, 1, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0, 1, 0.9}))
      .Expect(MakeTensor<float>({1, 4}, {0.9, 0.7, 0.6, 0.3}))
      .Expect(MakeTensor<float>({1, 4}, {0, 0, 1, 1}))
      .Expect(MakeTensor<int32_t>({1}, {4}))
      .Run();
  Combine(1, 2).Attr("clip_boxes", false)
      .Expect(MakeTensor<float>({1, 2, 4}, {0, 0, 1, 1, -1, 2, 0, 3}))
      .Expect(MakeTensor<float>({1, 2}, {0.9, 0.6}))
      .Expect(MakeTensor<float>({1, 2}, {0, 1}))
      .Expect(MakeTensor<int32_t>({1}, {2}))
      .Run();
}

TEST(CombinedNonMaxSuppression, FillsUp) {
  Combine(1, 3).Attr("clip_boxes", false)
      .Expect(MakeTensor<float>({1, 3, 4}, {0, 0, 1, 1, -1, 2, 0, 3, 0, 0, 0, 0}))
      .Expect(MakeTensor<float>({1, 3}, {0.9, 0.6, 0}))
      .Expect(MakeTensor<float>({1, 3}, {0, 1, 0}))
      .Expect(MakeTensor<int32_t>({1}, {2}))
      .Run();
  Combine(0, 3).RunExpectingError(Code::kInvalidArgument, "must be positive");
  Combine(1, 2147483647).RunExpectingError(Code::kInvalidArgument, "too large");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
