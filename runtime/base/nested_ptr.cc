#include "base/nested_ptr.h"

#include <new>
#include <vector>

namespace tfbuild {
namespace {

constexpr int kMaxReleases = 16;

// How many releases of this thread are going on, each in the one before, and what waits for their end.
thread_local int releases = 0;
thread_local std::vector<std::shared_ptr<const void>>* delayed = nullptr;

}  // namespace

void ReleaseNested(std::shared_ptr<const void> share) noexcept {
  if (releases >= kMaxReleases) {
    try {
      delayed->push_back(std::move(share));
      return;
    } catch (const std::bad_alloc&) {
      // Without memory for the list: here and now, which a few more in a row can.
    }
  }
  if (releases > 0) {
    ++releases;
    share.reset();
    --releases;
    return;
  }
  std::vector<std::shared_ptr<const void>> list;
  delayed = &list;
  releases = 1;
  share.reset();
  while (!list.empty()) {
    std::shared_ptr<const void> next = std::move(list.back());
    list.pop_back();
    next.reset();
  }
  releases = 0;
}

}  // namespace tfbuild
