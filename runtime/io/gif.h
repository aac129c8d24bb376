#pragma once

#include "io/image.h"

namespace tfbuild {

// The frames of a GIF, red, green and blue of 8 bits each, as TensorFlow gives them: as large as the
// largest frame, what a frame leaves transparent as in the frame before. Of a file that is cut off,
// the frames that began. InvalidArgument where there is none, or it has a colour beyond its palette.
Status DecodeGif(std::string_view bytes, bool only_first, const MakePixels& make);

}  // namespace tfbuild
