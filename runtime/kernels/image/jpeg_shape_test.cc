#include "io/jpeg.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(JpegShape, IsReadFromTheHeader) {
  const std::vector<uint8_t> pixels(5 * 7 * 3, 9);
  const std::string file = *EncodeJpeg(pixels.data(), {1, 5, 7, 3}, {});
  OpTest("ExtractJpegShape").Input(Tensor::Strings({}, {file}))
      .Expect(MakeTensor<int32_t>({3}, {5, 7, 3})).Run();
  OpTest("ExtractJpegShape").Input(Tensor::Strings({}, {file})).Attr("output_type", DType::kInt64)
      .Expect(MakeTensor<int64_t>({3}, {5, 7, 3})).Run();
  OpTest("ExtractJpegShape").Input(Tensor::Strings({}, {file.substr(0, 40)}))
      .RunExpectingError(Code::kInvalidArgument, "Invalid JPEG");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
