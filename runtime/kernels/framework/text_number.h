#pragma once

#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <limits>
#include <string>
#include <type_traits>

namespace tfbuild {

// The number that a text is, with blanks before and behind it; false where it is none, or an integer
// that T does not hold.
template <typename T>
bool NumberOfText(const std::string& text, T* value) {
  const auto is_space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  const char* begin = text.c_str();
  while (is_space(*begin)) ++begin;
  char* rest = nullptr;
  errno = 0;
  if constexpr (std::is_integral<T>::value) {
    const long long wide = std::strtoll(begin, &rest, 10);
    if (errno != 0 || wide < std::numeric_limits<T>::min() ||
        wide > std::numeric_limits<T>::max()) {
      return false;
    }
    *value = static_cast<T>(wide);
  } else if constexpr (sizeof(T) == sizeof(float)) {
    *value = std::strtof(begin, &rest);
  } else {
    *value = std::strtod(begin, &rest);
  }
  if (rest == begin) return false;
  while (is_space(*rest)) ++rest;
  return rest == text.c_str() + text.size();  // a zero within the text is no end of it
}

}  // namespace tfbuild
