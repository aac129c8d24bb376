#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace tfbuild {

// Reads a text of JSON value by value, by whoever knows what stands where. Each function answers
// InvalidArgument where something else stands there.
class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  // Whether null stands next; passes it if so.
  bool TakeNull();
  // Whether a string, or an array, stands next.
  bool AtString() { return At('"'); }
  bool AtArray() { return At('['); }
  Result<std::string> String();
  // A number, as it is written.
  Result<std::string> Number();
  // Calls `member(key)` for each member of an object; it reads the value.
  template <typename Member>
  Status Object(const Member& member);
  // Calls `item()` for each item of an array; it reads the item.
  template <typename Item>
  Status Array(const Item& item);
  // OK where nothing is left.
  Status End();

 private:
  bool At(char wanted);
  bool Take(char wanted);
  Status Wants(const char* what);
  Result<uint32_t> HexUnit();
  Status Escape(std::string* to);

  std::string_view text_;
  size_t at_ = 0;
};

template <typename Member>
Status JsonReader::Object(const Member& member) {
  if (!Take('{')) return Wants("an object");
  if (Take('}')) return OkStatus();
  do {
    ASSIGN_OR_RETURN(const std::string key, String());
    if (!Take(':')) return Wants("':'");
    RETURN_IF_ERROR(member(key));
  } while (Take(','));
  return Take('}') ? OkStatus() : Wants("',' or '}'");
}

template <typename Item>
Status JsonReader::Array(const Item& item) {
  if (!Take('[')) return Wants("an array");
  if (Take(']')) return OkStatus();
  do {
    RETURN_IF_ERROR(item());
  } while (Take(','));
  return Take(']') ? OkStatus() : Wants("',' or ']'");
}

}  // namespace tfbuild
