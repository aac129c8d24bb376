#include "tensor/memory_limit.h"

#include <sys/sysinfo.h>

#include <algorithm>
#include <fstream>
#include <limits>

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
  size_t bytes = 0;
  return file >> bytes ? bytes : std::numeric_limits<size_t>::max();
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
