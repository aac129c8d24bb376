#include "io/bmp.h"

#include <algorithm>
#include <cstdlib>

#include "base/stop.h"

namespace tfbuild {

Status DecodeBmp(std::string_view bytes, int64_t channels, const MakePixels& make) {
  constexpr size_t kHeader = 32;  // up to where it says what is needed here
  if (bytes.size() < kHeader) return InvalidArgument("Incomplete bmp content: ", bytes.size(), " bytes");
  const int64_t begin = static_cast<int32_t>(Little(bytes, 10, 4));
  const int64_t width = static_cast<int32_t>(Little(bytes, 18, 4));
  const int64_t stored_height = static_cast<int32_t>(Little(bytes, 22, 4));
  const int64_t bits = Little(bytes, 28, 2);
  const int64_t height = std::abs(stored_height);
  if (bits != 8 && bits != 24 && bits != 32) {
    return InvalidArgument("a BMP of ", bits, " bits per pixel is not read, only of 8, 24 and 32");
  }
  const int64_t in_file = bits / 8;
  if (channels != 0 && channels != in_file) {
    return InvalidArgument("channels attribute ", channels, " does not match bits per pixel from file ",
                           bits);
  }
  if (width <= 0 || height <= 0) return InvalidArgument("a BMP of ", height, " rows and ", width, " columns");
  const int64_t row_bytes = (width * in_file + 3) / 4 * 4;
  // The last row need not be filled up.
  const int64_t held = static_cast<int64_t>(bytes.size()) - begin;
  if (begin < 0 || held < width * in_file ||
      (held - width * in_file) / row_bytes < height - 1) {
    return InvalidArgument("Incomplete bmp content: ", bytes.size(), " bytes for ", height, " rows of ",
                           width, " pixels");
  }
  ASSIGN_OR_RETURN(void* made, make({1, height, width, in_file}));
  uint8_t* to = static_cast<uint8_t*>(made);
  const uint8_t* rows = reinterpret_cast<const uint8_t*>(bytes.data()) + begin;
  for (int64_t y = 0; y < height; ++y) {
    ThrowIfStopped();
    // Rows lie from bottom to top, unless the height is negative.
    const uint8_t* from = rows + (stored_height < 0 ? y : height - 1 - y) * row_bytes;
    if (in_file == 1) {
      to = std::copy_n(from, width, to);
      continue;
    }
    for (int64_t x = 0; x < width; ++x, from += in_file, to += in_file) {
      to[0] = from[2];
      to[1] = from[1];
      to[2] = from[0];
      if (in_file == 4) to[3] = from[3];
    }
  }
  return OkStatus();
}

}  // namespace tfbuild
