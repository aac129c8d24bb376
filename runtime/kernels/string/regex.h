#pragma once

#include <bitset>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"

namespace tfbuild {

// Regular expressions in RE2's syntax, as far as it is about ASCII: other characters stand for
// themselves, and `.` is one of them. Matching and replacing take time in proportion to the text,
// whatever the pattern is, and no stack. Thread-safe.
class Regex {
 public:
  // InvalidArgument for a malformed pattern, Unimplemented for what is not supported here.
  static Result<Regex> Compile(const std::string& pattern);

  bool FullMatch(std::string_view text) const;
  // `text` with its first match, or all of them, replaced; \1 in `rewrite` is the first group, \0
  // the match. InvalidArgument for a malformed rewrite.
  Result<std::string> Replace(const std::string& text, const std::string& rewrite, bool all) const;

  using Bytes = std::bitset<256>;
  enum class Kind { kBytes, kSplit, kJump, kSave, kBegin, kEnd, kWord,
                    kNoWord, kMatch };  // kWord: a border of a word
  struct Step {
    Kind kind;
    int next = 0;   // kSplit: tried first; kSave: the slot
    int other = 0;  // kSplit
    Bytes bytes;
  };

 private:
  struct Searches;
  class Lent;
  int groups_ = 0;
  std::shared_ptr<Searches> searches_;
};

}  // namespace tfbuild
