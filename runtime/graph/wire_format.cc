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
