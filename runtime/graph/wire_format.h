#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/status.h"

namespace tfbuild {

// The wire format of protocol buffers: a message is a run of fields, each a tag (field number and
// wire type) and a value. https://protobuf.dev/programming-guides/encoding
enum class WireType : int { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

// One field of a message. Which members are set follows from `type`.
struct WireField {
  int number = 0;
  WireType type = WireType::kVarint;
  uint64_t varint = 0;      // also the bits of the fixed types
  std::string_view bytes;   // looks into the message

  int64_t as_int() const { return static_cast<int64_t>(varint); }
  bool as_bool() const { return varint != 0; }
  float as_float() const { return FromBits<float>(static_cast<uint32_t>(varint)); }
  double as_double() const { return FromBits<double>(varint); }

 private:
  template <typename T, typename Bits>
  static T FromBits(Bits bits) {
    T value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }
};

// Reads the fields of one message. Every length is checked against what is there.
//
//   WireReader reader(bytes);
//   while (!reader.done()) {
//     ASSIGN_OR_RETURN(const WireField field, reader.Next());
//     ...
//   }
class WireReader {
 public:
  explicit WireReader(std::string_view message) : rest_(message) {}
  bool done() const { return rest_.empty(); }
  // The next field; DataLoss when the bytes are no such thing.
  Result<WireField> Next();
  // The next number of a packed field: a varint, or 4 or 8 bytes as `type` says.
  Result<WireField> NextPacked(WireType type);

 private:
  Result<uint64_t> Varint();
  Result<std::string_view> Take(uint64_t count);
  std::string_view rest_;
};

// Sets `to` to the value of a field that holds text; DataLoss unless it is UTF-8, as the format has it.
// What may hold any bytes is read from `bytes`.
Status ReadText(const WireField& field, std::string* to);

// Appends fields to a message.
class WireWriter {
 public:
  void Varint(int field, uint64_t value);
  void Int(int field, int64_t value) { Varint(field, static_cast<uint64_t>(value)); }
  void Float(int field, float value);
  void Double(int field, double value);
  void Fixed32(int field, uint32_t value);
  void Bytes(int field, std::string_view bytes);
  // A number without a tag, for packed fields.
  void RawVarint(uint64_t value);
  void RawFloat(float value);
  void RawDouble(double value);
  std::string Take() { return std::move(out_); }

 private:
  void Tag(int field, WireType type) {
    RawVarint(static_cast<uint64_t>(field) << 3 | static_cast<uint64_t>(type));
  }
  template <typename T>
  void RawBits(T bits) {
    for (size_t i = 0; i < sizeof(T); ++i) out_.push_back(static_cast<char>(bits >> (8 * i)));
  }
  std::string out_;
};

}  // namespace tfbuild
