#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"

namespace tfbuild {

// An image of 8 bits per channel as a PNG file; channels are 1 (grey), 2 (grey and alpha), 3 (red,
// green, blue) or 4 (and alpha). Unimplemented where the system has no zlib: a PNG is little more
// than rows of bytes that zlib has compressed, so no library beside it is needed to write one.
Result<std::string> EncodePng(const uint8_t* pixels, int64_t height, int64_t width, int channels);

}  // namespace tfbuild
