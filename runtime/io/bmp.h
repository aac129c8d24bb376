#pragma once

#include "io/image.h"

namespace tfbuild {

// The pixels of a BMP of 8 (grey), 24 or 32 bits that are not compressed. channels are those of the
// file, or 0.
Status DecodeBmp(std::string_view bytes, int64_t channels, const MakePixels& make);

}  // namespace tfbuild
