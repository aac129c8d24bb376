// Expected numbers are TensorFlow's.
#include <cmath>

#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(CheckNumerics, Finite) {
  OpTest("CheckNumerics")
      .Input(MakeTensor<float>({2}, {1, 2}))
      .Attr("message", std::string("m"))
      .Expect(MakeTensor<float>({2}, {1, 2}))
      .Run();
}

TEST(CheckNumerics, Malformed) {
  OpTest("CheckNumerics")
      .Input(MakeTensor<float>({2}, {1, NAN}))
      .Attr("message", std::string("m"))
      .RunExpectingError(Code::kInvalidArgument, "Tensor had NaN");
  OpTest("CheckNumerics")
      .Input(MakeTensor<float>({2}, {1, INFINITY}))
      .Attr("message", std::string("m"))
      .RunExpectingError(Code::kInvalidArgument, "Tensor had Inf");
  OpTest("CheckNumerics")
      .Input(MakeTensor<Half>({2}, {INFINITY, NAN}))
      .Attr("message", std::string("m"))
      .RunExpectingError(Code::kInvalidArgument, "m : Tensor had Inf and NaN");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
