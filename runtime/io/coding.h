#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace tfbuild {

// Numbers as they lie in record and table files: little endian, or in groups of seven bits.
void AppendFixed32(std::string* out, uint32_t value);
void AppendFixed64(std::string* out, uint64_t value);
void AppendVarint(std::string* out, uint64_t value);

// The first bytes of `bytes` as a number; the caller knows that they are there.
uint32_t Fixed32At(const char* bytes);
uint64_t Fixed64At(const char* bytes);
// Takes a number from the front of `rest`; DataLoss when it does not end there.
Result<uint64_t> TakeVarint(std::string_view* rest);
// Takes that many bytes; DataLoss when there are fewer.
Result<std::string_view> TakeBytes(std::string_view* rest, uint64_t count);

}  // namespace tfbuild
