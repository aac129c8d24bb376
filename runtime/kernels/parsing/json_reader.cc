#include "kernels/parsing/json_reader.h"

#include <algorithm>

namespace tfbuild {
namespace {

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

void AppendUtf8(uint32_t point, std::string* to) {
  const auto put = [to](uint32_t byte) { to->push_back(static_cast<char>(byte)); };
  if (point < 0x80) {
    put(point);
  } else if (point < 0x800) {
    put(0xc0 | point >> 6);
    put(0x80 | (point & 0x3f));
  } else if (point < 0x10000) {
    put(0xe0 | point >> 12);
    put(0x80 | (point >> 6 & 0x3f));
    put(0x80 | (point & 0x3f));
  } else {
    put(0xf0 | point >> 18);
    put(0x80 | (point >> 12 & 0x3f));
    put(0x80 | (point >> 6 & 0x3f));
    put(0x80 | (point & 0x3f));
  }
}

bool IsIn(uint32_t unit, uint32_t first, uint32_t last) { return unit >= first && unit <= last; }

}  // namespace

bool JsonReader::At(char wanted) {
  while (at_ < text_.size() && IsSpace(text_[at_])) ++at_;
  return at_ < text_.size() && text_[at_] == wanted;
}

bool JsonReader::Take(char wanted) {
  if (!At(wanted)) return false;
  ++at_;
  return true;
}

Status JsonReader::Wants(const char* what) {
  return InvalidArgument("expected ", what, " at byte ", at_, ", before '",
                         text_.substr(std::min(at_, text_.size()), 20), "'");
}

bool JsonReader::TakeNull() {
  if (!At('n') || text_.substr(at_, 4) != "null") return false;
  at_ += 4;
  return true;
}

Result<std::string> JsonReader::String() {
  if (!Take('"')) return Wants("a string");
  std::string found;
  while (at_ < text_.size()) {
    const char c = text_[at_++];
    if (c == '"') return found;
    if (static_cast<unsigned char>(c) < 0x20) break;
    if (c != '\\') {
      found.push_back(c);
    } else {
      RETURN_IF_ERROR(Escape(&found));
    }
  }
  return Wants("the end of a string");
}

Result<uint32_t> JsonReader::HexUnit() {
  uint32_t unit = 0;
  for (int i = 0; i < 4; ++i, ++at_) {
    const char c = at_ < text_.size() ? text_[at_] : '"';
    const uint32_t letter = static_cast<uint32_t>(c | 0x20) - 'a';
    if (c >= '0' && c <= '9') {
      unit = unit << 4 | static_cast<uint32_t>(c - '0');
    } else if (letter < 6) {
      unit = unit << 4 | (letter + 10);
    } else {
      return Wants("four hexadecimal digits");
    }
  }
  return unit;
}

Status JsonReader::Escape(std::string* to) {
  constexpr std::string_view kLetters = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
  const char letter = at_ < text_.size() ? text_[at_] : '\0';
  const size_t known = kLetters.find(letter);
  if (letter != 'u' && known == std::string_view::npos) return Wants("what an escape may be");
  ++at_;
  if (letter != 'u') {
    to->push_back(kMeant[known]);
    return OkStatus();
  }
  ASSIGN_OR_RETURN(uint32_t point, HexUnit());
  if (IsIn(point, 0xd800, 0xdbff) && text_.substr(at_, 2) == "\\u") {
    at_ += 2;
    ASSIGN_OR_RETURN(const uint32_t second, HexUnit());
    if (!IsIn(second, 0xdc00, 0xdfff)) return Wants("the second half of a character");
    point = 0x10000 + ((point - 0xd800) << 10) + (second - 0xdc00);
  } else if (IsIn(point, 0xd800, 0xdfff)) {
    return Wants("both halves of a character");
  }
  AppendUtf8(point, to);
  return OkStatus();
}

Result<std::string> JsonReader::Number() {
  while (at_ < text_.size() && IsSpace(text_[at_])) ++at_;
  const size_t begin = at_;
  const auto digits = [this] {
    const size_t first = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
    return at_ > first;
  };
  const auto passes = [this](std::string_view any) {
    if (at_ == text_.size() || any.find(text_[at_]) == std::string_view::npos) return false;
    ++at_;
    return true;
  };
  passes("-");
  if (!digits()) return Wants("a number");
  if (passes(".") && !digits()) return Wants("a digit");
  if (passes("eE")) {
    passes("+-");
    if (!digits()) return Wants("a digit");
  }
  return std::string(text_.substr(begin, at_ - begin));
}

Status JsonReader::End() {
  while (at_ < text_.size() && IsSpace(text_[at_])) ++at_;
  return at_ == text_.size() ? OkStatus() : Wants("the end");
}

}  // namespace tfbuild
