#include "io/snappy.h"

#include "io/coding.h"

namespace tfbuild {
namespace {

// A copy of three bytes makes at most 64.
constexpr uint64_t kMostGrowth = 32;

Result<uint64_t> TakeLittle(std::string_view* rest, size_t count) {
  ASSIGN_OR_RETURN(const std::string_view bytes, TakeBytes(rest, count));
  uint64_t value = 0;
  for (size_t i = count; i > 0; --i) value = value << 8 | static_cast<unsigned char>(bytes[i - 1]);
  return value;
}

// Copies may overlap what they make.
Status CopyBack(uint64_t offset, uint64_t length, std::string* out) {
  if (offset == 0 || offset > out->size()) return DataLoss("a copy from before the block");
  for (size_t from = out->size() - offset; length > 0; --length) out->push_back((*out)[from++]);
  return OkStatus();
}

Status TakeLiteral(unsigned tag, std::string_view* rest, std::string* out) {
  uint64_t length = tag >> 2;
  if (length >= 60) {
    ASSIGN_OR_RETURN(length, TakeLittle(rest, length - 59));
  }
  ASSIGN_OR_RETURN(const std::string_view bytes, TakeBytes(rest, length + 1));
  out->append(bytes);
  return OkStatus();
}

Status TakeElement(std::string_view* rest, std::string* out) {
  ASSIGN_OR_RETURN(const uint64_t byte, TakeLittle(rest, 1));
  const unsigned tag = static_cast<unsigned>(byte);
  switch (tag & 3) {
    case 0: return TakeLiteral(tag, rest, out);
    case 1: {
      ASSIGN_OR_RETURN(const uint64_t low, TakeLittle(rest, 1));
      return CopyBack((tag >> 5) << 8 | low, 4 + ((tag >> 2) & 7), out);
    }
    case 2: {
      ASSIGN_OR_RETURN(const uint64_t offset, TakeLittle(rest, 2));
      return CopyBack(offset, 1 + (tag >> 2), out);
    }
    default: {
      ASSIGN_OR_RETURN(const uint64_t offset, TakeLittle(rest, 4));
      return CopyBack(offset, 1 + (tag >> 2), out);
    }
  }
}

}  // namespace

Result<std::string> SnappyUncompress(std::string_view block) {
  ASSIGN_OR_RETURN(const uint64_t size, TakeVarint(&block));
  if (size > kMostGrowth * (block.size() + 1)) return DataLoss("a block that cannot be so large");
  std::string out;
  out.reserve(size);
  while (!block.empty()) {
    RETURN_IF_ERROR(TakeElement(&block, &out));
    if (out.size() > size) return DataLoss("a block is larger than it says");
  }
  if (out.size() != size) return DataLoss("a block is smaller than it says");
  return out;
}

}  // namespace tfbuild
