#pragma once

#include <string>

#include "io/stream.h"

namespace tfbuild {

// All bytes of a file; ResourceExhausted where it has more than the machine.
Result<std::string> ReadWholeFile(const std::string& path);
// Appends up to `count` bytes, fewer where the stream ends. Takes no more memory than there are
// bytes, however many are asked for.
Status AppendBytes(InputStream* in, size_t count, std::string* to);

}  // namespace tfbuild
