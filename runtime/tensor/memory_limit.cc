#include "tensor/memory_limit.h"

#include <sys/sysinfo.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include "base/c_locale.h"

namespace tfbuild {
namespace {

size_t OfMachine() {
  struct sysinfo info;
  if (sysinfo(&info) != 0) return std::numeric_limits<size_t>::max();
  return (size_t{info.totalram} + size_t{info.totalswap}) * size_t{info.mem_unit};
}

// The number in that file; no limit when it is not there or says "max".
size_t LimitIn(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  const char* end = nullptr;
  const long long bytes = ReadInt(line.c_str(), &end);
  const bool is_limit = end != line.c_str() && bytes >= 0;
  return is_limit ? static_cast<size_t>(bytes) : std::numeric_limits<size_t>::max();
}

}  // namespace

size_t MemoryLimit() {
  // As a container sees its own control group, of version 2 and of version 1.
  static const size_t limit =
      std::min({OfMachine(), LimitIn("/sys/fs/cgroup/memory.max"),
                LimitIn("/sys/fs/cgroup/memory/memory.limit_in_bytes")});
  return limit;
}

}  // namespace tfbuild
