#pragma once

#include <unistd.h>

#include <atomic>
#include <random>
#include <string>

#include "base/strings.h"

namespace tfbuild {

// A name beside `path` that no other writer has.
inline std::string TemporaryName(const std::string& path) {
  static std::atomic<uint64_t> count{0};
  static thread_local std::random_device random;
  return StrCat(path, ".tempstate", getpid(), "-", ++count, "-", random());
}

}  // namespace tfbuild
