#include "graph/tensor_proto.h"
#include "graph/wire_format.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

OpTest Parse(const std::string& serialized, DType dtype) {
  OpTest test("ParseTensor");
  return test.Input(Tensor::Strings({}, {serialized})).Attr("out_type", dtype);
}

TEST(ParseTensor, ReadsWhatSerializeTensorWrites) {
  const Tensor numbers = MakeTensor<float>({2, 2}, {1, -2, 3, -4});
  const std::string message = SerializeTensor(numbers);
  OpTest("SerializeTensor").Input(numbers).Expect(Tensor::Strings({}, {message})).Run();
  Parse(message, DType::kFloat).Expect(numbers).Run();
  Parse(message, DType::kInt32).RunExpectingError(Code::kInvalidArgument, "Type mismatch");
}

TEST(ParseTensor, RefusesWhatIsNone) {
  Parse("\xff", DType::kFloat).RunExpectingError(Code::kInvalidArgument, "Could not parse");
  WireWriter vast;
  vast.Int(1, 1);
  vast.Bytes(2, SerializeShape(PartialShape({int64_t{1} << 50})));
  Parse(vast.Take(), DType::kFloat).RunExpectingError(Code::kInvalidArgument, "too many elements");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
