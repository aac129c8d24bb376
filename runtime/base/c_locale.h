#pragma once

#include <string>

namespace tfbuild {

// What the C library reads and writes by the process's locale, here always as in the locale "C": with a
// point in numbers, ASCII's letters, and messages in English. A program may call setlocale(), and
// std::locale::global(), as it likes. No other file has functions of a locale; the house rules look.

// As strtof, strtod and strtoll: the number at the beginning of `text`, and where it ends.
float ReadFloat(const char* text, const char** end);
double ReadDouble(const char* text, const char** end);
long long ReadInt(const char* text, const char** end, int base = 10);

// The number as printf writes it in that format of one double, such as "%.3g".
std::string FormatReal(const char* format, double number);

// What an errno means.
std::string ErrnoText(int error);

// As the functions of <cctype>, for any char.
constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool IsAlphanumeric(char c) { return IsDigit(c) || IsLower(c) || IsUpper(c); }
constexpr bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
constexpr char ToLower(char c) { return IsUpper(c) ? static_cast<char>(c + 32) : c; }
constexpr char ToUpper(char c) { return IsLower(c) ? static_cast<char>(c - 32) : c; }

}  // namespace tfbuild
