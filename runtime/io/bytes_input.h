#pragma once

#include <string_view>

#include "io/stream.h"

namespace tfbuild {

// Bytes in memory, which must stay there, as a stream.
class BytesInput final : public InputStream {
 public:
  explicit BytesInput(std::string_view bytes) : bytes_(bytes) {}
  Result<size_t> Read(char* to, size_t count) override {
    const size_t taken = bytes_.copy(to, count);
    bytes_.remove_prefix(taken);
    return taken;
  }

 private:
  std::string_view bytes_;
};

}  // namespace tfbuild
