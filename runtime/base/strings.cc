#include "base/strings.h"

#include <charconv>

#include "base/c_locale.h"

namespace tfbuild {
namespace {

template <typename T>
void AppendNumber(T number, std::string* text) {
  char digits[24];
  text->append(digits, std::to_chars(digits, digits + sizeof(digits), number).ptr);
}

}  // namespace

void TextPart::AppendTo(std::string* text) const {
  switch (kind_) {
    case Kind::kText:
      text->append(text_);
      return;
    case Kind::kSigned:
      return AppendNumber(static_cast<int64_t>(number_), text);
    case Kind::kUnsigned:
      return AppendNumber(number_, text);
    case Kind::kReal:
      text->append(FormatReal("%g", real_));
      return;
    case Kind::kObject:
      *text += object_.to_string(object_.value);
      return;
  }
}

std::string StrCat(std::initializer_list<TextPart> parts) {
  std::string text;
  for (const TextPart& part : parts) part.AppendTo(&text);
  return text;
}

std::string_view StrTrim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\r";
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

std::vector<std::string> StrSplit(std::string_view text, char separator) {
  std::vector<std::string> pieces;
  while (true) {
    const size_t end = text.find(separator);
    pieces.emplace_back(StrTrim(text.substr(0, end)));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

}  // namespace tfbuild
