#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tfbuild {

// The CRC of Castagnoli's polynomial of all bytes so far, `crc` being that of those before.
uint32_t ExtendCrc32c(uint32_t crc, const void* data, size_t size);
inline uint32_t Crc32c(std::string_view bytes) {
  return ExtendCrc32c(0, bytes.data(), bytes.size());
}
// The same by a table, for processors without the instruction.
uint32_t ExtendCrc32cByTable(uint32_t crc, const void* data, size_t size);

// As sums are written into files: the CRC of bytes that hold their own CRC says little.
inline uint32_t MaskCrc(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xa282ead8u; }
inline uint32_t UnmaskCrc(uint32_t masked) {
  const uint32_t turned = masked - 0xa282ead8u;
  return (turned >> 17) | (turned << 15);
}

}  // namespace tfbuild
