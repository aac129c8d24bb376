#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(DecodeRaw, ReadsNumbersOfBothOrders) {
  const Tensor bytes = Tensor::Strings({1}, {std::string("\x01\x00\x02\x00", 4)});
  OpTest("DecodeRaw").Input(bytes).Attr("out_type", DType::kInt16)
      .Expect(MakeTensor<int16_t>({1, 2}, {1, 2})).Run();
  OpTest("DecodeRaw").Input(bytes).Attr("out_type", DType::kInt16).Attr("little_endian", false)
      .Expect(MakeTensor<int16_t>({1, 2}, {256, 512})).Run();
  OpTest("DecodeRaw").Input(Tensor::Strings({1}, {"abc"})).Attr("out_type", DType::kInt16)
      .RunExpectingError(Code::kInvalidArgument, "not a multiple of 2");
  OpTest("DecodeRaw").Input(Tensor::Strings({2}, {"ab", "c"})).Attr("out_type", DType::kInt16)
      .RunExpectingError(Code::kInvalidArgument, "element 1 has size 1 != 2");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
