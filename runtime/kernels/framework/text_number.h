#pragma once

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "base/c_locale.h"

namespace tfbuild {

// The number that a text is, with blanks before and behind it; false where it is none, or an integer
// that T does not hold.
template <typename T>
bool NumberOfText(const std::string& text, T* value) {
  const char* begin = text.c_str();
  while (IsSpace(*begin)) ++begin;
  const char* rest = nullptr;
  errno = 0;
  if constexpr (std::is_same<T, uint64_t>::value) {
    if (*begin == '+') ++begin;
    const auto read = std::from_chars(begin, text.c_str() + text.size(), *value);
    if (read.ec != std::errc()) return false;
    rest = read.ptr;
  } else if constexpr (std::is_integral<T>::value) {
    const long long wide = ReadInt(begin, &rest);
    if (errno != 0 || wide < std::numeric_limits<T>::min() ||
        wide > std::numeric_limits<T>::max()) {
      return false;
    }
    *value = static_cast<T>(wide);
  } else if constexpr (sizeof(T) == sizeof(float)) {
    *value = ReadFloat(begin, &rest);
  } else {
    *value = ReadDouble(begin, &rest);
  }
  if (rest == begin) return false;
  while (IsSpace(*rest)) ++rest;
  return rest == text.c_str() + text.size();  // a zero within the text is no end of it
}

}  // namespace tfbuild
