#include <cmath>
#include <cstring>

#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

// The number of values is the third field of the histogram; each is a byte and a double.
double CountIn(const std::string& summary) {
  const size_t most = summary.find('\x11', summary.find("h*"));  // the field before it
  double count = 0;
  std::memcpy(&count, summary.data() + most + 9 + 1, sizeof(count));
  return count;
}

TEST(HistogramSummary, CountsAllValues) {
  const auto outputs = OpTest("HistogramSummary")
                           .Input(Tensor::Strings({}, {"h"}))
                           .Input(MakeTensor<float>({4}, {-1, 0, 1e30, -1e-13}))
                           .RunOnCpu();
  ASSERT_OK(outputs);
  EXPECT_EQ(CountIn((*outputs)[0].data<std::string>()[0]), 4.0);
}

TEST(HistogramSummary, TakesOnlyFiniteNumbers) {
  for (const double bad : {std::nan(""), double{INFINITY}}) {
    OpTest("HistogramSummary")
        .Input(Tensor::Strings({}, {"h"}))
        .Input(MakeTensor<Half>({2}, {1, bad}))
        .RunExpectingError(Code::kInvalidArgument, "in summary histogram for");
  }
  OpTest("HistogramSummary")
      .Input(Tensor::Strings({1}, {"h"}))
      .Input(MakeTensor<float>({1}, {1}))
      .RunExpectingError(Code::kInvalidArgument, "must be a scalar");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
