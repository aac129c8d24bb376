#include "io/line_reader.h"

#include <cstring>

namespace tfbuild {
namespace {

constexpr size_t kBuffer = size_t{256} << 10;

}  // namespace

Result<bool> LineReader::Fill() {
  buffer_.resize(kBuffer);
  at_ = 0;
  Result<size_t> count = in_->Read(buffer_.data(), kBuffer);
  buffer_.resize(count.ok() ? *count : 0);
  RETURN_IF_ERROR(count.status());
  return *count > 0;
}

Result<bool> LineReader::Read(std::string* line) {
  line->clear();
  bool any = false;
  while (true) {
    if (at_ == buffer_.size()) {
      ASSIGN_OR_RETURN(const bool more, Fill());
      if (!more) break;
    }
    any = true;
    const char* from = buffer_.data() + at_;
    const size_t left = buffer_.size() - at_;
    const void* end = std::memchr(from, '\n', left);
    const size_t count =
        end == nullptr ? left : static_cast<size_t>(static_cast<const char*>(end) - from);
    if (line->size() + count > kMaxLine) return InvalidArgument("a line is too long");
    line->append(from, count);
    at_ += count;
    if (end == nullptr) continue;
    ++at_;
    break;
  }
  if (!line->empty() && line->back() == '\r') line->pop_back();
  return any;
}

}  // namespace tfbuild
