#include "tensor/allocator.h"

#include <sys/mman.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>
#include <vector>

#include "base/fork.h"
#include "base/reserve.h"
#include "tensor/allocator_part.h"
#include "tensor/memory_limit.h"
#include "tensor/size_class.h"

namespace tfbuild {
namespace {

// Blocks from this size on are aligned to huge pages and say so to the kernel.
constexpr size_t kHugePage = size_t{2} << 20;
// Freed blocks kept at most; beyond it they go back to the system.
constexpr size_t kMaxCachedBytes = size_t{1} << 30;

class PoolingAllocator final : public Allocator {
 public:
  void* Allocate(size_t bytes) override {
    const SizeClass size = SizeClassOf(bytes);
    if (size.index >= kNumSizeClasses) return nullptr;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (used_bytes_ + size.bytes > MemoryLimit()) return nullptr;
      used_bytes_ += size.bytes;
      std::vector<void*>& free = free_[static_cast<size_t>(size.index)];
      if (!free.empty()) {
        void* data = free.back();
        free.pop_back();
        cached_bytes_ -= size.bytes;
        return data;
      }
      if (used_bytes_ + cached_bytes_ > MemoryLimit()) FreeCached();
    }
    void* data = FromSystem(size.bytes);
    if (data != nullptr) return data;
    std::lock_guard<std::mutex> lock(mutex_);
    FreeCached();
    data = FromSystem(size.bytes);
    if (data == nullptr) used_bytes_ -= size.bytes;
    return data;
  }

  void Deallocate(void* data, size_t bytes) override {
    const SizeClass size = SizeClassOf(bytes);
    std::lock_guard<std::mutex> lock(mutex_);
    used_bytes_ -= size.bytes;
    if (cached_bytes_ + size.bytes > kMaxCachedBytes || !Keep(data, size)) std::free(data);
  }

  std::mutex* mutex() { return &mutex_; }

  void ReleaseUnused() {
    std::lock_guard<std::mutex> lock(mutex_);
    FreeCached();
  }

 private:
  // Null when the system has no more, or less than the reserve would be left.
  static void* FromSystem(size_t bytes) {
    const size_t alignment = bytes >= kHugePage ? kHugePage : kTensorAlignment;
    void* data = nullptr;
    if (posix_memalign(&data, alignment, bytes) != 0) return nullptr;
    if (!HasReserve()) {
      std::free(data);
      return nullptr;
    }
    if (bytes >= kHugePage) madvise(data, bytes, MADV_HUGEPAGE);
    return data;
  }

  // The caller holds mutex_, here and below. False when there is no memory for the note itself.
  bool Keep(void* data, const SizeClass& size) {
    try {
      free_[static_cast<size_t>(size.index)].push_back(data);
    } catch (const std::bad_alloc&) {
      return false;
    }
    cached_bytes_ += size.bytes;
    return true;
  }

  void FreeCached() {
    for (std::vector<void*>& blocks : free_) {
      for (void* data : blocks) std::free(data);
      blocks.clear();
    }
    cached_bytes_ = 0;
  }

  std::mutex mutex_;
  std::array<std::vector<void*>, kNumSizeClasses> free_;
  size_t used_bytes_ = 0;
  size_t cached_bytes_ = 0;
};

PoolingAllocator* Pool() {
  // Never destroyed: tensors held by Python may be freed after static destructors have run.
  static PoolingAllocator* allocator = new PoolingAllocator;
  static const LockedByFork* locked = new LockedByFork(allocator->mutex());
  static_cast<void>(locked);
  return allocator;
}

}  // namespace

Allocator* CpuAllocator() { return Pool(); }

void ReleaseUnusedCpuMemory() { Pool()->ReleaseUnused(); }
bool IsKeptByPool(size_t bytes) {
  const SizeClass size = SizeClassOf(bytes);
  return size.index < kNumSizeClasses && size.bytes <= kMaxCachedBytes;
}

}  // namespace tfbuild
