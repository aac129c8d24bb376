#include "io/coding.h"

namespace tfbuild {
namespace {

template <typename T>
void AppendFixed(std::string* out, T value) {
  for (size_t i = 0; i < sizeof(T); ++i) out->push_back(static_cast<char>(value >> (8 * i)));
}

template <typename T>
T FixedAt(const char* bytes) {
  T value = 0;
  for (size_t i = sizeof(T); i > 0; --i) {
    value = static_cast<T>(value << 8) | static_cast<unsigned char>(bytes[i - 1]);
  }
  return value;
}

}  // namespace

void AppendFixed32(std::string* out, uint32_t value) { AppendFixed(out, value); }
void AppendFixed64(std::string* out, uint64_t value) { AppendFixed(out, value); }

void AppendVarint(std::string* out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out->push_back(static_cast<char>(value | 0x80));
  out->push_back(static_cast<char>(value));
}

uint32_t Fixed32At(const char* bytes) { return FixedAt<uint32_t>(bytes); }
uint64_t Fixed64At(const char* bytes) { return FixedAt<uint64_t>(bytes); }

Result<uint64_t> TakeVarint(std::string_view* rest) {
  uint64_t value = 0;
  for (size_t i = 0; i < 10 && i < rest->size(); ++i) {
    const uint64_t byte = static_cast<unsigned char>((*rest)[i]);
    value |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      rest->remove_prefix(i + 1);
      return value;
    }
  }
  return DataLoss("a number does not end");
}

Result<std::string_view> TakeBytes(std::string_view* rest, uint64_t count) {
  if (count > rest->size()) {
    return DataLoss(count, " bytes announced, ", rest->size(), " left");
  }
  const std::string_view taken = rest->substr(0, static_cast<size_t>(count));
  rest->remove_prefix(static_cast<size_t>(count));
  return taken;
}

}  // namespace tfbuild
