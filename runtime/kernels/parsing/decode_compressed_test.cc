#include "io/zlib.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

OpTest Decode(const std::string& bytes, const std::string& compression) {
  OpTest test("DecodeCompressed");
  return test.Input(Tensor::Strings({1}, {bytes})).Attr("compression_type", compression);
}

TEST(DecodeCompressed, GivesWhatWasCompressed) {
  const std::string text(100000, 'x');
  const Result<std::string> packed = CompressDifferences(text);
  ASSERT_OK(packed);
  Decode(*packed, "ZLIB").Expect(Tensor::Strings({1}, {text})).Run();
  Decode("plain", "").Expect(Tensor::Strings({1}, {"plain"})).Run();
  Decode("", "").Expect(Tensor::Strings({1}, {""})).Run();
}

TEST(DecodeCompressed, RefusesWhatIsDamaged) {
  Decode("junk", "ZLIB").RunExpectingError(Code::kDataLoss, "");
  Decode("junk", "GZIP").RunExpectingError(Code::kDataLoss, "");
  Decode("junk", "LZ4").RunExpectingError(Code::kInvalidArgument, "LZ4");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
