#include "base/c_locale.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include <cstdio>

namespace tfbuild {
namespace {

// Never freed: threads read numbers until the process ends.
locale_t CLocale() {
  static const locale_t locale = newlocale(LC_ALL_MASK, "C", nullptr);
  return locale;
}

// The calling thread is in the locale "C" while this lives.
class InCLocale {
 public:
  InCLocale() : before_(uselocale(CLocale())) {}
  ~InCLocale() { uselocale(before_); }
  InCLocale(const InCLocale&) = delete;
  InCLocale& operator=(const InCLocale&) = delete;

 private:
  const locale_t before_;
};

}  // namespace

float ReadFloat(const char* text, const char** end) {
  return strtof_l(text, const_cast<char**>(end), CLocale());
}

double ReadDouble(const char* text, const char** end) {
  return strtod_l(text, const_cast<char**>(end), CLocale());
}

long long ReadInt(const char* text, const char** end, int base) {
  return strtoll_l(text, const_cast<char**>(end), base, CLocale());
}

std::string FormatReal(const char* format, double number) {
  const InCLocale here;
  char most[64];
  const int size = std::snprintf(most, sizeof(most), format, number);
  const size_t needed = static_cast<size_t>(size);
  if (needed < sizeof(most)) return std::string(most, needed);
  std::string text(needed, '\0');
  std::snprintf(&text[0], needed + 1, format, number);  // the 0 at the end is the string's own
  return text;
}

std::string ErrnoText(int error) { return strerror_l(error, CLocale()); }

}  // namespace tfbuild
