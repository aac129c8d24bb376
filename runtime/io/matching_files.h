#pragma once

#include <set>
#include <string>

namespace tfbuild {

// What makes a path a pattern.
inline constexpr char kWildcards[] = "*?[\\";

// The paths that there are of a pattern, sorted. They begin with `folder`, which ends with a slash or
// is empty, and what of the pattern is a folder may have wildcards as well.
std::set<std::string> MatchingFiles(const std::string& pattern, const std::string& folder = "");

}  // namespace tfbuild
