#include "io/png.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(EncodeImage, PngsComeBack) {
  const Tensor images = MakeTensor<uint16_t>({2, 1, 2, 1}, {1, 500, 65535, 256});
  const auto files = OpTest("EncodePng").Input(images).RunOnCpu();
  ASSERT_OK(files);
  EXPECT_EQ((*files)[0].shape(), Shape{2});
  OpTest("DecodePng").Input(Tensor::Strings({}, {(*files)[0].data<std::string>()[1]}))
      .Attr("dtype", DType::kUint16).Expect(MakeTensor<uint16_t>({1, 2, 1}, {65535, 256})).Run();
}

TEST(EncodeImage, JpegsComeBack) {
  const Tensor image = MakeTensor<uint8_t>({8, 8, 1}, std::vector<double>(64, 90));
  for (const char* op : {"EncodeJpeg", "EncodeJpegVariableQuality"}) {
    OpTest encode(op);
    encode.Input(image);
    if (std::string(op) != "EncodeJpeg") encode.Input(Tensor::Scalar<int32_t>(40));
    const auto files = encode.RunOnCpu();
    ASSERT_OK(files);
    OpTest("DecodeJpeg").Input((*files)[0]).Expect(image).Run();
  }
}

TEST(EncodeImage, RefusesWhatIsNoImage) {
  OpTest("EncodePng").Input(MakeTensor<uint8_t>({0, 1, 1}, {}))
      .RunExpectingError(Code::kInvalidArgument, "empty");
  OpTest("EncodePng").Input(MakeTensor<uint8_t>({1, 1, 5}, {1, 2, 3, 4, 5}))
      .RunExpectingError(Code::kInvalidArgument, "5 channels");
  OpTest("EncodePng").Input(MakeTensor<uint8_t>({1, 1, 1}, {1})).Attr("compression", int64_t{10})
      .RunExpectingError(Code::kInvalidArgument, "[-1,9]");
  OpTest("EncodeJpeg").Input(MakeTensor<uint8_t>({1, 1, 2}, {1, 2}))
      .RunExpectingError(Code::kInvalidArgument, "1 or 3 channels");
  OpTest("EncodeJpeg").Input(MakeTensor<uint8_t>({0, 1, 1}, {}))
      .RunExpectingError(Code::kInvalidArgument, "no JPEG");
  OpTest("EncodeJpeg").Input(MakeTensor<uint8_t>({1, 1, 1}, {1})).Attr("quality", int64_t{101})
      .RunExpectingError(Code::kInvalidArgument, "quality");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
