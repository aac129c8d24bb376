#pragma once

#include <optional>
#include <string>

#include "io/image.h"

namespace tfbuild {

// A part of an image, in pixels.
struct ImageWindow {
  int64_t y = 0, x = 0, height = 0, width = 0;
};

struct JpegReading {
  int channels = 0;  // 1 or 3; 0 for those of the file
  int ratio = 1;     // makes the image smaller: 1, 2, 4 or 8
  bool fancy_upscaling = true;         // colours of fewer pixels are mixed, not repeated
  bool try_recover_truncated = false;  // what is missing at the end is grey
  float min_acceptable_fraction = 1;   // of rows that must be there
  bool fast_dct = false;               // a cosine transform that is less exact
  std::optional<ImageWindow> window;   // which part is wanted, after `ratio`
};

// The pixels of a JPEG, by libjpeg-turbo. InvalidArgument where the file is none, or is damaged so
// that rows are missing.
Status DecodeJpeg(std::string_view bytes, const JpegReading& reading, const MakePixels& make);
// The size that the file has, with as many channels as it has.
Result<ImageSize> JpegSize(std::string_view bytes);

enum class DensityUnit { kNone = 0, kInch = 1, kCentimetre = 2 };

struct JpegWriting {
  int quality = 95;  // 0 to 100
  bool progressive = false;
  bool optimize_size = false;
  bool chroma_downsampling = true;
  DensityUnit density_unit = DensityUnit::kInch;
  int x_density = 300, y_density = 300;
  std::string xmp_metadata;
};

// An image as a JPEG file; channels are 1 (grey) or 3 (red, green, blue).
Result<std::string> EncodeJpeg(const uint8_t* pixels, const ImageSize& size,
                               const JpegWriting& writing);

}  // namespace tfbuild
