#include <limits>
#include <utility>

#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

OpTest Ranges(Tensor starts, Tensor limits, Tensor deltas) {
  return OpTest("RaggedRange").Input(std::move(starts)).Input(std::move(limits))
      .Input(std::move(deltas));
}
Tensor Scalar(int32_t value) { return Tensor::Scalar<int32_t>(value); }

TEST(RaggedRange, CountsUpAndDown) {
  Ranges(Tensor::Vector<int32_t>({0, 5, 8}), Tensor::Vector<int32_t>({3, 5, 4}),
         Tensor::Vector<int32_t>({1, 1, -3}))
      .Expect(Tensor::Vector<int64_t>({0, 3, 3, 5}))
      .Expect(Tensor::Vector<int32_t>({0, 1, 2, 8, 5})).Run();
  Ranges(Tensor::Vector<int32_t>({0, 1}), Scalar(3), Scalar(2)).Attr("Tsplits", DType::kInt32)
      .Expect(Tensor::Vector<int32_t>({0, 2, 3}))
      .Expect(Tensor::Vector<int32_t>({0, 2, 1})).Run();
  Ranges(MakeTensor<float>({1}, {1}), MakeTensor<float>({1}, {2}), MakeTensor<float>({1}, {0.25}))
      .Expect(Tensor::Vector<int64_t>({0, 4}))
      .Expect(MakeTensor<float>({4}, {1, 1.25, 1.5, 1.75})).Run();
  const int32_t largest = 2147483647;  // one step more would overflow
  Ranges(Scalar(-largest), Scalar(largest), Scalar(largest))
      .Expect(Tensor::Vector<int64_t>({0, 2})).Expect(Tensor::Vector<int32_t>({-largest, 0})).Run();
}

TEST(RaggedRange, RefusesWhatHasNoEnd) {
  Ranges(Scalar(0), Scalar(3), Scalar(0))
      .RunExpectingError(Code::kInvalidArgument, "Requires delta != 0");
  const double infinite = std::numeric_limits<double>::infinity();
  for (const double limit : {infinite, infinite - infinite}) {
    Ranges(MakeTensor<double>({}, {0}), MakeTensor<double>({}, {limit}), MakeTensor<double>({}, {1}))
        .RunExpectingError(Code::kInvalidArgument, "Requires ((limit - start) / delta) <=");
  }
  Ranges(Tensor::Vector<int32_t>({0, 1}), Tensor::Vector<int32_t>({3}), Scalar(1))
      .RunExpectingError(Code::kInvalidArgument, "must have the same shape");
  Ranges(MakeTensor<int32_t>({1, 1}, {0}), Scalar(1), Scalar(1))
      .RunExpectingError(Code::kInvalidArgument, "scalars or vectors");
  const int64_t far = int64_t{1} << 40;
  Ranges(Tensor::Vector<int64_t>({0, 0}), Tensor::Scalar<int64_t>(far), Tensor::Scalar<int64_t>(1))
      .RunExpectingError(Code::kInvalidArgument, "the ranges have more than");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
