#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/string/regex.h"

namespace tfbuild {

// A pattern as a tree.
struct RegexNode {
  enum class Kind { kEmpty, kBytes, kAssert, kSequence, kChoice, kRepeat, kGroup };
  Kind kind = Kind::kEmpty;
  Regex::Bytes bytes;                             // kBytes
  Regex::Kind assertion = Regex::Kind::kMatch;    // kAssert
  std::vector<std::unique_ptr<RegexNode>> parts;  // of the last four
  int least = 0, most = 0;                        // kRepeat; most < 0: any number
  bool greedy = true;
  int group = 0;                                  // kGroup; 0 where nobody asks for it
};

// The tree of a pattern, and how many groups it numbers.
Result<std::unique_ptr<RegexNode>> ParseRegex(const std::string& pattern, int* groups);

}  // namespace tfbuild
