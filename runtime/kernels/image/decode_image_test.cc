#include "io/jpeg.h"
#include "io/png.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

Tensor File(std::string bytes) { return Tensor::Strings({}, {std::move(bytes)}); }

// Two pixels: 10, 200, 30 and 100, 100, 100.
std::string SmallPng() {
  const uint8_t pixels[] = {10, 200, 30, 100, 100, 100};
  return *EncodePng(pixels, {1, 1, 2, 3});
}

std::string GreyJpeg() {
  const std::vector<uint8_t> pixels(16 * 8, 77);
  return *EncodeJpeg(pixels.data(), {1, 16, 8, 1}, {});
}

TEST(DecodeImage, GivesWhatTensorFlowGives) {
  OpTest("DecodePng").Input(File(SmallPng()))
      .Expect(MakeTensor<uint8_t>({1, 2, 3}, {10, 200, 30, 100, 100, 100})).Run();
  OpTest("DecodePng").Input(File(SmallPng())).Attr("channels", int64_t{1})
      .Expect(MakeTensor<uint8_t>({1, 2, 1}, {123, 100})).Run();
  OpTest("DecodePng").Input(File(SmallPng())).Attr("channels", int64_t{4})
      .Attr("dtype", DType::kUint16)
      .Expect(MakeTensor<uint16_t>({1, 2, 4}, {2570, 51400, 7710, 65535, 25700, 25700, 25700, 65535}))
      .Run();
  OpTest("DecodeImage").Input(File(SmallPng())).Attr("dtype", DType::kFloat)
      .Expect(MakeTensor<float>({1, 2, 3}, {10 / 255.0, 200 / 255.0, 30 / 255.0, 100 / 255.0, 100 / 255.0,
                                            100 / 255.0})).Run();
  OpTest("DecodeGif").Input(File(SmallPng()))
      .Expect(MakeTensor<uint8_t>({1, 1, 2, 3}, {10, 200, 30, 100, 100, 100})).Run();
}

TEST(DecodeImage, ReadsJpegs) {
  const std::vector<double> grey(16 * 8, 77);
  OpTest("DecodeJpeg").Input(File(GreyJpeg())).Expect(MakeTensor<uint8_t>({16, 8, 1}, grey)).Run();
  OpTest("DecodeJpeg").Input(File(GreyJpeg())).Attr("channels", int64_t{3}).Attr("ratio", int64_t{8})
      .Expect(MakeTensor<uint8_t>({2, 1, 3}, {77, 77, 77, 77, 77, 77})).Run();
  OpTest("DecodeAndCropJpeg").Input(File(GreyJpeg()))
      .Input(MakeTensor<int32_t>({4}, {1, 2, 2, 1}))
      .Expect(MakeTensor<uint8_t>({2, 1, 1}, {77, 77})).Run();
}

TEST(DecodeImage, RefusesWhatItCannotRead) {
  OpTest("DecodeJpeg").Input(File("")).RunExpectingError(Code::kInvalidArgument, "empty");
  OpTest("DecodeJpeg").Input(File("abc")).RunExpectingError(Code::kInvalidArgument, "Unknown image");
  OpTest("DecodeJpeg").Input(File(GreyJpeg())).Attr("channels", int64_t{4})
      .RunExpectingError(Code::kInvalidArgument, "4 channels");
  OpTest("DecodeJpeg").Input(File(GreyJpeg())).Attr("ratio", int64_t{3})
      .RunExpectingError(Code::kInvalidArgument, "ratio must be");
  OpTest("DecodeJpeg").Input(File(GreyJpeg())).Attr("dct_method", std::string("FOO"))
      .RunExpectingError(Code::kInvalidArgument, "dct_method");
  OpTest("DecodeBmp").Input(File(GreyJpeg())).RunExpectingError(Code::kInvalidArgument, "another op");
  OpTest("DecodePng").Input(File(SmallPng())).Attr("channels", int64_t{2})
      .RunExpectingError(Code::kInvalidArgument, "0, 1, 3 or 4");
  OpTest("DecodeAndCropJpeg").Input(File(GreyJpeg())).Input(MakeTensor<int32_t>({4}, {0, 0, 17, 1}))
      .RunExpectingError(Code::kInvalidArgument, "crop window");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
