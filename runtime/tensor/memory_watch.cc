#include "tensor/memory_watch.h"

#include <algorithm>

#include "tensor/allocator_part.h"

namespace tfbuild {
namespace {

thread_local MemoryTally* watching[2] = {nullptr, nullptr};

MemoryTally*& Watching(MemoryWatch::Of of) { return watching[static_cast<int>(of)]; }

}  // namespace

std::atomic<int> MemoryWatch::num_watches{0};

void MemoryTally::Add(Allocator* allocator, int64_t bytes) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto use = std::find_if(uses_.begin(), uses_.end(),
                          [&](const MemoryUse& known) { return known.allocator == allocator; });
  if (use == uses_.end()) use = uses_.insert(use, MemoryUse{allocator, 0, 0, 0});
  if (bytes > 0) use->total += bytes;
  use->live += bytes;
  use->peak = std::max(use->peak, use->live);
}

std::vector<MemoryUse> MemoryTally::uses() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return uses_;
}

MemoryWatch::MemoryWatch(Of of, MemoryTally* tally) : of_(of), outer_(Watching(of)) {
  Watching(of_) = tally;
  num_watches.fetch_add(1, std::memory_order_relaxed);
}

MemoryWatch::~MemoryWatch() {
  num_watches.fetch_sub(1, std::memory_order_relaxed);
  Watching(of_) = outer_;
}

void MemoryWatch::NoteWatched(Allocator* allocator, int64_t bytes) {
  if (auto* part = dynamic_cast<AllocatorPart*>(allocator)) allocator = part->whole();
  for (MemoryTally* tally : watching) {
    if (tally != nullptr) tally->Add(allocator, bytes);
  }
}

}  // namespace tfbuild
