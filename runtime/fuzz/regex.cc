// A regular expression, a zero, and the text that it is held against.
#include "fuzz/input.h"
#include "kernels/string/regex.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tfbuild;
  const std::string_view input = fuzz::TextOf(data, size);
  const size_t zero = input.find('\0');
  const auto regex = Regex::Compile(std::string(input.substr(0, zero)));
  if (!regex.ok() || zero == std::string_view::npos) return 0;
  const std::string text(input.substr(zero + 1));
  (void)regex->FullMatch(text);
  (void)regex->Replace(text, "<\\0>", true);
  return 0;
}
