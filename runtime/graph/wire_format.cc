#include "graph/wire_format.h"

namespace tfbuild {

Result<uint64_t> WireReader::Varint() {
  uint64_t value = 0;
  for (size_t i = 0; i < 10 && i < rest_.size(); ++i) {
    const uint64_t byte = static_cast<uint8_t>(rest_[i]);
    value |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      rest_.remove_prefix(i + 1);
      return value;
    }
  }
  return DataLoss("malformed message: a number does not end");
}

Result<std::string_view> WireReader::Take(uint64_t count) {
  if (count > rest_.size()) {
    return DataLoss("malformed message: ", count, " bytes announced, ", rest_.size(), " left");
  }
  const std::string_view taken = rest_.substr(0, static_cast<size_t>(count));
  rest_.remove_prefix(static_cast<size_t>(count));
  return taken;
}

Result<WireField> WireReader::NextPacked(WireType type) {
  WireField field;
  field.type = type;
  if (type == WireType::kVarint) {
    ASSIGN_OR_RETURN(field.varint, Varint());
    return field;
  }
  const uint64_t size = type == WireType::kFixed64 ? 8 : 4;
  ASSIGN_OR_RETURN(const std::string_view bits, Take(size));
  for (size_t i = bits.size(); i > 0; --i) {  // little endian
    field.varint = field.varint << 8 | static_cast<uint8_t>(bits[i - 1]);
  }
  return field;
}

Result<WireField> WireReader::Next() {
  ASSIGN_OR_RETURN(const uint64_t tag, Varint());
  const uint64_t number = tag >> 3;
  const int type = static_cast<int>(tag & 7);
  if (number == 0 || number > (1u << 29) || type == 3 || type == 4 || type > 5) {
    return DataLoss("malformed message: no field has the tag ", tag);
  }
  WireField field;
  if (type == static_cast<int>(WireType::kBytes)) {
    ASSIGN_OR_RETURN(const uint64_t count, Varint());
    ASSIGN_OR_RETURN(field.bytes, Take(count));
    field.type = WireType::kBytes;
  } else {
    ASSIGN_OR_RETURN(field, NextPacked(static_cast<WireType>(type)));
  }
  field.number = static_cast<int>(number);
  return field;
}

namespace {

// How many bytes the character has that begins there; 0 where none does. The Unicode Standard, table 3-7.
size_t CharacterAt(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<uint8_t>(text[i]) : 0u; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const size_t size = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  // Neither longer than need be, nor half of a pair of UTF-16, nor beyond the last character.
  const unsigned least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const unsigned most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (byte(1) < least || byte(1) > most) return 0;
  for (size_t i = 2; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  return size;
}

}  // namespace

Status ReadText(const WireField& field, std::string* to) {
  for (std::string_view rest = field.bytes; !rest.empty();) {
    const size_t size = CharacterAt(rest);
    if (size == 0) return DataLoss("malformed message: a text is not UTF-8");
    rest.remove_prefix(size);
  }
  *to = field.bytes;
  return OkStatus();
}

void WireWriter::RawVarint(uint64_t value) {
  while (value >= 0x80) {
    out_.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out_.push_back(static_cast<char>(value));
}

void WireWriter::RawFloat(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  RawBits(bits);
}

void WireWriter::RawDouble(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  RawBits(bits);
}

void WireWriter::Varint(int field, uint64_t value) {
  Tag(field, WireType::kVarint);
  RawVarint(value);
}

void WireWriter::Float(int field, float value) {
  Tag(field, WireType::kFixed32);
  RawFloat(value);
}

void WireWriter::Double(int field, double value) {
  Tag(field, WireType::kFixed64);
  RawDouble(value);
}

void WireWriter::Fixed32(int field, uint32_t value) {
  Tag(field, WireType::kFixed32);
  RawBits(value);
}

void WireWriter::Bytes(int field, std::string_view bytes) {
  Tag(field, WireType::kBytes);
  RawVarint(bytes.size());
  out_.append(bytes);
}

}  // namespace tfbuild
