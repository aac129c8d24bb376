// Image files of the four formats, read as what they say they are.
#include <vector>

#include "fuzz/input.h"
#include "io/bmp.h"
#include "io/gif.h"
#include "io/jpeg.h"
#include "io/png.h"

namespace tfbuild {
namespace {

// Enough for every seed; a reader that asks for more is refused.
constexpr int64_t kMostBytes = int64_t{1} << 26;

Status Decode(std::string_view input) {
  const uint8_t how = fuzz::TakeByte(&input);
  std::vector<uint8_t> pixels;
  const int bits = how & 0x80 ? 16 : 8;
  const MakePixels make = [&](const ImageSize& size) -> Result<void*> {
    const int64_t count = size.frames * size.height * size.width * size.channels * (bits / 8);
    if (count > kMostBytes) return ResourceExhausted("the image is too large");
    pixels.assign(static_cast<size_t>(count), 0);
    return static_cast<void*>(pixels.data());
  };
  switch (ImageFormatOf(input)) {
    case ImageFormat::kPng:
      return DecodePng(input, {how % 5, bits}, make);
    case ImageFormat::kGif:
      return DecodeGif(input, (how & 1) != 0, make);
    case ImageFormat::kBmp:
      return DecodeBmp(input, how % 5, make);
    case ImageFormat::kJpeg: {
      JpegReading reading;
      reading.channels = (how & 1) != 0 ? 3 : (how & 2) != 0 ? 1 : 0;
      reading.ratio = 1 << (how >> 2 & 3);
      reading.fancy_upscaling = (how & 0x10) != 0;
      reading.try_recover_truncated = (how & 0x20) != 0;
      reading.min_acceptable_fraction = 0.5F;
      reading.fast_dct = (how & 0x40) != 0;
      RETURN_IF_ERROR(JpegSize(input).status());
      return DecodeJpeg(input, reading, make);
    }
    case ImageFormat::kUnknown:
      break;
  }
  return OkStatus();
}

}  // namespace
}  // namespace tfbuild

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  (void)tfbuild::Decode(tfbuild::fuzz::TextOf(data, size));
  return 0;
}
