#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(Optional, HoldsTensorsOrNone) {
  const Tensor x = MakeTensor<float>({2}, {1, 2});
  const auto full = OpTest("OptionalFromValue").Input(x).RunOnCpu();
  ASSERT_OK(full);
  const std::vector<DType> types{DType::kFloat};
  const std::vector<PartialShape> shapes{PartialShape({2})};
  OpTest("OptionalGetValue").Input((*full)[0]).Attr("output_types", types)
      .Attr("output_shapes", shapes).Expect(x).Run();
  OpTest("OptionalHasValue").Input((*full)[0]).Expect(Tensor::Scalar<bool>(true)).Run();
  const auto none = OpTest("OptionalNone").RunOnCpu();
  ASSERT_OK(none);
  OpTest("OptionalHasValue").Input((*none)[0]).Expect(Tensor::Scalar<bool>(false)).Run();
  OpTest("OptionalGetValue").Input((*none)[0]).Attr("output_types", types)
      .Attr("output_shapes", shapes)
      .RunExpectingError(Code::kInvalidArgument, "does not have a value");
  OpTest("OptionalGetValue").Input((*full)[0]).Attr("output_types", types)
      .Attr("output_shapes", std::vector<PartialShape>{PartialShape({3})})
      .RunExpectingError(Code::kInvalidArgument, "not float of shape [3]");
  OpTest("OptionalHasValue").Input(Tensor::Scalar<Variant>(nullptr))
      .RunExpectingError(Code::kInvalidArgument, "no optional");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
