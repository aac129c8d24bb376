#include "io/crc32c.h"

#include <array>
#include <cstring>

namespace tfbuild {
namespace {

constexpr uint32_t kPolynomial = 0x82f63b78;  // Castagnoli's, bits reversed

using Table = std::array<std::array<uint32_t, 256>, 8>;

// Row k says what a byte does to the sum when k more bytes follow it.
Table MakeTable() {
  Table table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t sum = byte;
    for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ (sum & 1 ? kPolynomial : 0);
    table[0][byte] = sum;
  }
  for (size_t row = 1; row < table.size(); ++row) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t before = table[row - 1][byte];
      table[row][byte] = (before >> 8) ^ table[0][before & 0xff];
    }
  }
  return table;
}

uint64_t Word(const char* at) {
  uint64_t word;
  std::memcpy(&word, at, sizeof(word));
  return word;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t ByInstruction(uint32_t crc, const char* data,
                                                         size_t size) {
  uint64_t sum = crc ^ 0xffffffffu;
  for (; size >= 32; size -= 32, data += 32) {
    sum = __builtin_ia32_crc32di(sum, Word(data));
    sum = __builtin_ia32_crc32di(sum, Word(data + 8));
    sum = __builtin_ia32_crc32di(sum, Word(data + 16));
    sum = __builtin_ia32_crc32di(sum, Word(data + 24));
  }
  for (; size >= 8; size -= 8, data += 8) sum = __builtin_ia32_crc32di(sum, Word(data));
  uint32_t last = static_cast<uint32_t>(sum);
  for (; size > 0; --size, ++data) {
    last = __builtin_ia32_crc32qi(last, static_cast<unsigned char>(*data));
  }
  return last ^ 0xffffffffu;
}
#endif

}  // namespace

uint32_t ExtendCrc32cByTable(uint32_t crc, const void* data, size_t size) {
  static const Table table = MakeTable();
  const char* at = static_cast<const char*>(data);
  uint32_t sum = crc ^ 0xffffffffu;
  for (; size >= 8; size -= 8, at += 8) {
    const uint64_t word = Word(at) ^ sum;
    sum = 0;
    for (size_t i = 0; i < 8; ++i) sum ^= table[7 - i][(word >> (8 * i)) & 0xff];
  }
  for (; size > 0; --size, ++at) {
    sum = (sum >> 8) ^ table[0][(sum ^ static_cast<unsigned char>(*at)) & 0xff];
  }
  return sum ^ 0xffffffffu;
}

uint32_t ExtendCrc32c(uint32_t crc, const void* data, size_t size) {
#if defined(__x86_64__)
  static const bool has_instruction = __builtin_cpu_supports("sse4.2");
  if (has_instruction) return ByInstruction(crc, static_cast<const char*>(data), size);
#endif
  return ExtendCrc32cByTable(crc, data, size);
}

}  // namespace tfbuild
