#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "io/stream.h"

namespace tfbuild {

// Reads pieces that end with a character, with a buffer of its own.
class LineReader {
 public:
  explicit LineReader(std::unique_ptr<InputStream> in) : in_(std::move(in)) {}
  // The next line without its end ("\n" or "\r\n"); false at the end of the stream. A line longer than
  // kMaxLine is InvalidArgument.
  Result<bool> Read(std::string* line);
  // The next character; false at the end of the stream.
  Result<bool> ReadChar(char* c) {
    if (at_ == buffer_.size()) {
      ASSIGN_OR_RETURN(const bool more, Fill());
      if (!more) return false;
    }
    *c = buffer_[at_++];
    return true;
  }

  static constexpr size_t kMaxLine = size_t{1} << 31;

 private:
  Result<bool> Fill();
  std::unique_ptr<InputStream> in_;
  std::string buffer_;
  size_t at_ = 0;
};

}  // namespace tfbuild
