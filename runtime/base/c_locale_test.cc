#include "base/c_locale.h"

#include <cerrno>
#include <locale>

#include "base/strings.h"
#include "testing/test.h"

namespace tfbuild {
namespace {

// As programs set it whose numbers look so: 1.234.567,5.
struct Commas : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(CLocale, MessagesAreNotInTheLocaleOfStreams) {
  const std::locale before = std::locale::global(std::locale(std::locale(), new Commas));
  EXPECT_EQ(StrCat(0.5, " ", 1234567, " ", 123456.5f), "0.5 1234567 123456");
  std::locale::global(before);
}

TEST(CLocale, NumbersHaveAPoint) {
  const char* text = "1.5,2";
  const char* end = nullptr;
  EXPECT_EQ(ReadFloat(text, &end), 1.5f);
  EXPECT_EQ(end - text, 3);
  EXPECT_EQ(ReadDouble(text, &end), 1.5);
  EXPECT_EQ(end - text, 3);
  EXPECT_EQ(ReadInt(text, &end), 1);
  EXPECT_EQ(end - text, 1);
  EXPECT_EQ(ReadInt("fF", nullptr, 16), 255);
  EXPECT_EQ(StrCat(1e-7, " ", 1234567.0, " ", -0.25), "1e-07 1.23457e+06 -0.25");
}

TEST(CLocale, RealsAreWrittenInAnyFormat) {
  EXPECT_EQ(FormatReal("%.3g", 0.12345), "0.123");
  EXPECT_EQ(FormatReal("%+08.2f", 1234.5), "+1234.50");
  EXPECT_EQ(FormatReal("%63.1f", 1.5), std::string(60, ' ') + "1.5");
  EXPECT_EQ(FormatReal("%-64.1f", 1.5), "1.5" + std::string(61, ' '));
  EXPECT_EQ(FormatReal("%.1f", 1e300).size(), size_t{303});
}

TEST(CLocale, WhatIsReadIsWhatWasWritten) {
  for (const double number : {0.1, 1e-300, 5e-324, 1.7976931348623157e308, 123456789.125}) {
    EXPECT_EQ(ReadDouble(FormatReal("%.17g", number).c_str(), nullptr), number);
  }
}

TEST(CLocale, ErrorsAreInEnglish) { EXPECT_EQ(ErrnoText(ENOENT), "No such file or directory"); }

TEST(CLocale, LettersAreThoseOfAscii) {
  EXPECT_EQ(ToUpper('i'), 'I');
  EXPECT_EQ(ToLower('I'), 'i');
  int letters = 0, spaces = 0, changed = 0;
  for (int byte = -128; byte < 128; ++byte) {
    const char c = static_cast<char>(byte);
    letters += IsAlphanumeric(c) ? 1 : 0;
    spaces += IsSpace(c) ? 1 : 0;
    changed += ToUpper(c) != c || ToLower(c) != c ? 1 : 0;
  }
  EXPECT_EQ(letters, 62);
  EXPECT_EQ(spaces, 6);
  EXPECT_EQ(changed, 52);
}

}  // namespace
}  // namespace tfbuild
