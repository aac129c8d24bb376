#pragma once

#include <cstddef>
#include <string_view>

#include "base/status.h"

namespace tfbuild {

// Bytes in the order in which they come. Thread-compatible.
class InputStream {
 public:
  virtual ~InputStream() = default;
  // Puts up to `count` bytes at `to` and returns how many; fewer only where the stream ends.
  virtual Result<size_t> Read(char* to, size_t count) = 0;
};

// Where bytes go. Thread-compatible. What was not flushed or closed may be lost.
class OutputStream {
 public:
  virtual ~OutputStream() = default;
  virtual Status Append(std::string_view bytes) = 0;
  // Hands everything on, so that other programs see it.
  virtual Status Flush() = 0;
  // Ends the stream; must be called once, and nothing after it.
  virtual Status Close() = 0;
};

}  // namespace tfbuild
