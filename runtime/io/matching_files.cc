#include "io/matching_files.h"

#include <dirent.h>
#include <fnmatch.h>
#include <sys/stat.h>

#include <vector>

#include "base/stop.h"

namespace tfbuild {
namespace {

bool IsPattern(const std::string& part) { return part.find_first_of(kWildcards) != std::string::npos; }

bool Exists(const std::string& path) {
  struct stat found;
  return stat(path.c_str(), &found) == 0;
}

// The entries of a folder that match, without . and ..; none where it cannot be read.
std::vector<std::string> EntriesOf(const std::string& folder, const std::string& pattern) {
  std::vector<std::string> names;
  DIR* const entries = opendir(folder.empty() ? "." : folder.c_str());
  if (entries == nullptr) return names;
  while (const dirent* entry = readdir(entries)) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (fnmatch(pattern.c_str(), name.c_str(), 0) == 0) names.push_back(name);
  }
  closedir(entries);
  return names;
}

// What exists of `pattern` from `at` on, below `folder`, which ends with a slash or is empty.
void Match(const std::string& folder, const std::string& pattern, size_t at,
           std::set<std::string>* found) {
  const size_t slash = pattern.find('/', at);
  const bool is_last = slash == std::string::npos;
  const std::string part = pattern.substr(at, is_last ? std::string::npos : slash - at);
  std::vector<std::string> names{part};
  if (IsPattern(part)) names = EntriesOf(folder, part);
  for (const std::string& name : names) {
    ThrowIfStopped();
    const std::string path = folder + name;
    if (!is_last) {
      Match(path + "/", pattern, slash + 1, found);
    } else if (Exists(path)) {
      found->insert(path);
    }
  }
}

}  // namespace

std::set<std::string> MatchingFiles(const std::string& pattern, const std::string& folder) {
  std::set<std::string> found;
  Match(folder, pattern, 0, &found);
  return found;
}

}  // namespace tfbuild
