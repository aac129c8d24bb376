#pragma once

// The test macros: TEST(Suite, Name) { ... }, checks that report file, line and both values, and
// SKIP_TEST(reason), which is counted apart from what passed.

#include <cmath>
#include <locale>
#include <sstream>
#include <string>

#include "base/status.h"

namespace tfbuild {
namespace testing {

struct TestCase {
  const char* suite;
  const char* name;
  void (*body)();
};

bool AddTest(const TestCase& test);
// Notes a failure of the running test.
void Fail(const char* file, int line, const std::string& message);
void Skip(const std::string& reason);

// What a stream can show of a value: what has a ToString() is shown by it.
template <typename T, typename = void>
struct Shown {
  static const T& Of(const T& value) { return value; }
};
template <typename T>
struct Shown<T, std::void_t<decltype(std::declval<const T&>().ToString())>> {
  static std::string Of(const T& value) { return value.ToString(); }
};

template <typename A, typename B>
void CheckEqual(const char* file, int line, const char* text, const A& actual, const B& expected) {
  if (actual == expected) return;
  std::ostringstream message;
  message.imbue(std::locale::classic());
  message << text << ": got " << Shown<A>::Of(actual) << ", expected " << Shown<B>::Of(expected);
  Fail(file, line, message.str());
}

inline void CheckOk(const char* file, int line, const char* text, const Status& status) {
  if (!status.ok()) Fail(file, line, StrCat(text, ": ", status.message()));
}
template <typename T>
void CheckOk(const char* file, int line, const char* text, const Result<T>& result) {
  if (!result.ok()) CheckOk(file, line, text, result.status());
}

// Checks for an error of that code whose message contains `part`.
void CheckError(const char* file, int line, const Status& status, Code code,
                const std::string& part);
template <typename T>
void CheckError(const char* file, int line, const Result<T>& result, Code code,
                const std::string& part) {
  CheckError(file, line, result.status(), code, part);
}

}  // namespace testing
}  // namespace tfbuild

#define TEST(suite, name)                                                              \
  static void suite##_##name##_Test();                                                 \
  [[maybe_unused]] static const bool suite##_##name##_added = ::tfbuild::testing::AddTest( \
      {#suite, #name, &suite##_##name##_Test});                                        \
  static void suite##_##name##_Test()

#define EXPECT_TRUE(condition)                                                            \
  do {                                                                                    \
    if (!(condition)) ::tfbuild::testing::Fail(__FILE__, __LINE__, #condition " is false"); \
  } while (false)
#define EXPECT_EQ(actual, expected) \
  ::tfbuild::testing::CheckEqual(__FILE__, __LINE__, #actual, actual, expected)
#define EXPECT_NEAR(actual, expected, tolerance)                                           \
  do {                                                                                     \
    if (!(std::abs((actual) - (expected)) <= (tolerance)))                                 \
      ::tfbuild::testing::Fail(__FILE__, __LINE__, ::tfbuild::StrCat(#actual ": got ", actual, \
                                                                     ", expected ", expected)); \
  } while (false)
#define EXPECT_OK(expression) \
  ::tfbuild::testing::CheckOk(__FILE__, __LINE__, #expression, expression)
// As EXPECT_OK, and leaves the test when it failed.
#define ASSERT_OK(expression)                                                  \
  do {                                                                         \
    const auto& _checked = (expression);                                       \
    ::tfbuild::testing::CheckOk(__FILE__, __LINE__, #expression, _checked);    \
    if (!_checked.ok()) return;                                                \
  } while (false)
#define EXPECT_ERROR(expression, code, part) \
  ::tfbuild::testing::CheckError(__FILE__, __LINE__, expression, code, part)
#define SKIP_TEST(reason)               \
  do {                                  \
    ::tfbuild::testing::Skip(reason);   \
    return;                             \
  } while (false)
