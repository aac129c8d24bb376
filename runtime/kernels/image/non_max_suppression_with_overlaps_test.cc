#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

OpTest Suppress(const Tensor& overlaps, double most, double overlap, double score) {
  OpTest test("NonMaxSuppressionWithOverlaps");
  test.Input(overlaps).Input(MakeTensor<float>({3}, {0.9, 0.8, 0.7}));
  test.Input(MakeTensor<int32_t>({}, {most})).Input(MakeTensor<float>({}, {overlap}));
  return test.Input(MakeTensor<float>({}, {score}));
}

TEST(NonMaxSuppressionWithOverlaps, GoesByTheTable) {
  const Tensor table = MakeTensor<float>({3, 3}, {1, 0.6, 0.1, 0.6, 1, 0.2, 0.1, 0.2, 1});
  Suppress(table, 3, 0.5, 0).Expect(MakeTensor<int32_t>({2}, {0, 2})).Run();
  Suppress(table, 3, 0.7, 0).Expect(MakeTensor<int32_t>({3}, {0, 1, 2})).Run();
  Suppress(table, 1, 0.7, 0).Expect(MakeTensor<int32_t>({1}, {0})).Run();
  Suppress(table, 3, 0.7, 0.75).Expect(MakeTensor<int32_t>({2}, {0, 1})).Run();
  Suppress(table, -1, 0.7, 0).RunExpectingError(Code::kInvalidArgument, "non-negative");
  Suppress(MakeTensor<float>({2, 3}, {1, 1, 1, 1, 1, 1}), 3, 0.7, 0)
      .RunExpectingError(Code::kInvalidArgument, "square");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
