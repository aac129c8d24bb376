#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace tfbuild {

// What a block in Snappy's raw format holds; DataLoss for bytes that are no such block. Only read:
// old checkpoints have such blocks, and nothing has to be written so.
// https://github.com/google/snappy/blob/main/format_description.txt
Result<std::string> SnappyUncompress(std::string_view block);

}  // namespace tfbuild
