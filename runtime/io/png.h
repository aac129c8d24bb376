#pragma once

#include <cstdlib>
#include <string>

#include "io/image.h"

namespace tfbuild {

// A PNG is little more than rows of bytes that zlib has compressed, so no library beside it is needed.
// Unimplemented where the system has no zlib.

// The neighbour, of left, above and their corner, that is nearest to left + above - corner.
inline int Paeth(int left, int above, int corner) {
  const int by_left = std::abs(above - corner);
  const int by_above = std::abs(left - corner);
  const int by_corner = std::abs(left + above - 2 * corner);
  const int other = by_above <= by_corner ? above : corner;
  return by_left <= by_above && by_left <= by_corner ? left : other;
}

// An image as a PNG file; channels are 1 (grey), 2 (grey and alpha), 3 (red, green, blue) or 4 (and
// alpha), each of 8 bits, or of 16 bits in this machine's order.
Result<std::string> EncodePng(const void* pixels, const ImageSize& size, int bits = 8, int level = -1);

struct PngReading {
  int channels = 0;  // 1 to 4, or 0 for those of the file
  int bits = 8;      // of each channel: 8 or 16
};

// The pixels of a PNG, converted as libpng does for TensorFlow. InvalidArgument where the file is
// none or is damaged.
Status DecodePng(std::string_view bytes, const PngReading& reading, const MakePixels& make);

}  // namespace tfbuild
