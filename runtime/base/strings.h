#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tfbuild {

// One part of a text: a string, a number, or an object that has a ToString(). It refers to what it
// was made from. Messages are made of these in one place, not in a template for each row of types:
// hundreds of files write messages.
class TextPart {
 public:
  TextPart(const char* text) : TextPart(std::string_view(text)) {}                // NOLINT: implicit
  TextPart(const std::string& text) : TextPart(std::string_view(text)) {}         // NOLINT
  TextPart(std::string_view text) : kind_(Kind::kText), text_(text) {}            // NOLINT
  template <typename T>
  TextPart(const T& value) {  // NOLINT
    if constexpr (std::is_same_v<T, char>) {
      kind_ = Kind::kText;
      text_ = std::string_view(&value, 1);
    } else if constexpr (std::is_floating_point_v<T>) {
      kind_ = Kind::kReal;
      real_ = static_cast<double>(value);
    } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
      kind_ = std::is_signed_v<T> ? Kind::kSigned : Kind::kUnsigned;
      number_ = static_cast<uint64_t>(value);
    } else {
      kind_ = Kind::kObject;
      object_ = {&value, [](const void* object) {
                   return static_cast<const T*>(object)->ToString();
                 }};
    }
  }

  void AppendTo(std::string* text) const;

 private:
  enum class Kind : uint8_t { kText, kSigned, kUnsigned, kReal, kObject };
  struct Object {
    const void* value;
    std::string (*to_string)(const void*);
  };
  Kind kind_;
  union {
    std::string_view text_;
    uint64_t number_;
    double real_;
    Object object_;
  };
};

// The parts one after the other.
std::string StrCat(std::initializer_list<TextPart> parts);
template <typename... Parts>
std::string StrCat(const Parts&... parts) {
  return StrCat({TextPart(parts)...});
}

// The elements with `separator` between them.
template <typename Container>
std::string StrJoin(const Container& items, std::string_view separator) {
  std::string text;
  bool first = true;
  for (const auto& item : items) {
    if (!first) text += separator;
    TextPart(item).AppendTo(&text);
    first = false;
  }
  return text;
}

// The pieces of `text` between occurrences of `separator`, spaces around them removed.
std::vector<std::string> StrSplit(std::string_view text, char separator);

// `text` without the white space at its ends.
std::string_view StrTrim(std::string_view text);

}  // namespace tfbuild
