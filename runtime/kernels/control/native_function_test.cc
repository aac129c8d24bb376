#include "kernels/framework/host_function.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

using Types = std::vector<DType>;
using Shapes = std::vector<PartialShape>;
using Ints = std::vector<int64_t>;

// Doubles a vector of floats, and counts its elements; refuses those that begin with a minus.
int DoubleAndCount(const void* const* inputs, const int64_t* const* input_dims,
                   void* const* outputs, const int64_t* const* output_dims) {
  const float* const from = static_cast<const float*>(inputs[0]);
  const int64_t count = input_dims[0][0];
  if (count > 0 && from[0] < 0) return 7;
  if (output_dims[0][0] != count || output_dims[1][0] != 1) return 8;
  for (int64_t i = 0; i < count; ++i) static_cast<float*>(outputs[0])[i] = 2 * from[i];
  static_cast<int64_t*>(outputs[1])[0] = count;
  return 0;
}

OpTest Test(const std::string& token, const std::vector<double>& values) {
  SetNativeKernel("double", &DoubleAndCount);
  OpTest test("NativeFunction");
  const int64_t count = static_cast<int64_t>(values.size());
  test.Input(MakeTensor<float>({count}, values)).Attr("token", token);
  test.Attr("Tin", Types{DType::kFloat}).Attr("Tout", Types{DType::kFloat, DType::kInt64});
  return test;
}

TEST(NativeFunction, ComputesIntoItsOutputs) {
  Test("double", {1, 2, 3}).Attr("shape_of", Ints{0, -1}).Attr("output_shapes", Shapes{{}, {1}})
      .Expect(MakeTensor<float>({3}, {2, 4, 6})).Expect(MakeTensor<int64_t>({1}, {3})).Run();
  Test("double", {}).Attr("shape_of", Ints{0, -1}).Attr("output_shapes", Shapes{{}, {1}})
      .Expect(MakeTensor<float>({0}, {})).Expect(MakeTensor<int64_t>({1}, {0})).Run();
}

TEST(NativeFunction, SaysWhatTheKernelReturned) {
  Test("double", {-1}).Attr("shape_of", Ints{0, -1}).Attr("output_shapes", Shapes{{}, {1}})
      .RunExpectingError(Code::kInternal, "double returned 7");
}

TEST(NativeFunction, CallsOnlyWhatThisProcessHasNamed) {
  Test("0x4711", {1}).Attr("shape_of", Ints{0, -1}).Attr("output_shapes", Shapes{{}, {1}})
      .RunExpectingError(Code::kInvalidArgument, "native kernel 0x4711 is not found");
  SetNativeKernel("gone", &DoubleAndCount);
  SetNativeKernel("gone", nullptr);
  Test("gone", {1}).Attr("shape_of", Ints{0, -1}).Attr("output_shapes", Shapes{{}, {1}})
      .RunExpectingError(Code::kInvalidArgument, "gone is not found");
}

TEST(NativeFunction, RefusesShapesThatNobodyKnows) {
  Test("double", {1}).Attr("shape_of", Ints{0, 1}).Attr("output_shapes", Shapes{{}, {1}})
      .RunExpectingError(Code::kInvalidArgument, "shape of input 1, but there are 1 inputs");
  Test("double", {1}).Attr("shape_of", Ints{0, -1})
      .Attr("output_shapes", Shapes{{}, PartialShape()})
      .RunExpectingError(Code::kInvalidArgument, "shape of output 1 is not known");
  Test("double", {1}).Attr("shape_of", Ints{0}).Attr("output_shapes", Shapes{{}})
      .RunExpectingError(Code::kInvalidArgument, "an entry for each of the 2 outputs");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
