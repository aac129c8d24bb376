#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "tensor/allocator.h"

namespace tfbuild {

// What tensors took of one allocator, in bytes that they asked for.
struct MemoryUse {
  Allocator* allocator = nullptr;
  int64_t total = 0;  // taken, whether given back or not
  int64_t live = 0;   // taken and not given back; below 0 where older memory was
  int64_t peak = 0;   // the most that was live at once
};

// Adds up what tensors take and give back, by allocator. Thread-safe.
class MemoryTally {
 public:
  void Add(Allocator* allocator, int64_t bytes);  // below 0 for what is given back
  std::vector<MemoryUse> uses() const;

 private:
  mutable std::mutex mutex_;
  std::vector<MemoryUse> uses_;
};

// While it lives, what this thread does with the memory of tensors is added to a tally: to that of
// the step that the thread works for, or to that of one kernel. Of several alike the innermost counts.
class MemoryWatch {
 public:
  enum class Of : int { kStep, kKernel };
  MemoryWatch(Of of, MemoryTally* tally);
  ~MemoryWatch();
  MemoryWatch(const MemoryWatch&) = delete;
  MemoryWatch& operator=(const MemoryWatch&) = delete;

  // Called by tensors. Costs a load where nobody watches.
  static void Note(Allocator* allocator, int64_t bytes) {
    if (__builtin_expect(num_watches.load(std::memory_order_relaxed) > 0, 0)) {
      NoteWatched(allocator, bytes);
    }
  }

 private:
  // Hidden: found without a look at a table.
  __attribute__((visibility("hidden"))) static std::atomic<int> num_watches;
  __attribute__((cold)) static void NoteWatched(Allocator* allocator, int64_t bytes);
  const Of of_;
  MemoryTally* const outer_;
};

}  // namespace tfbuild
