#include "tensor/cuda_allocator.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "tensor/size_class.h"

namespace tfbuild {
namespace {

// Blocks up to this size are cut from slabs and keep it; larger ones are parts of regions.
constexpr size_t kMaxSmallBlock = size_t{1} << 20;
constexpr size_t kSlab = size_t{16} << 20;
// Regions double, so that there are few of them.
constexpr size_t kFirstRegion = size_t{32} << 20;
constexpr size_t kLargestRegion = size_t{1} << 30;
constexpr size_t kRegionStep = size_t{2} << 20;  // what the driver hands out
constexpr size_t kAlignment = 512;

constexpr size_t RoundUp(size_t bytes, size_t step) { return (bytes + step - 1) / step * step; }

// Memory of the driver's, never more than a limit.
class DriverMemory {
 public:
  DriverMemory(int ordinal, size_t limit) : ordinal_(ordinal), limit_(limit) {}

  size_t left() const { return limit_ - held_; }

  void* Take(size_t bytes) {
    if (bytes > left() || cudaSetDevice(ordinal_) != cudaSuccess) return nullptr;
    void* data = nullptr;
    if (cudaMalloc(&data, bytes) != cudaSuccess) {
      cudaGetLastError();  // forget it: the answer is null
      return nullptr;
    }
    held_ += bytes;
    return data;
  }

  // cudaFree waits for queued work, so nothing can still be using the memory.
  void GiveBack(void* data, size_t bytes) {
    if (cudaSetDevice(ordinal_) != cudaSuccess) return;
    cudaFree(data);
    held_ -= bytes;
  }

 private:
  const int ordinal_;
  const size_t limit_;
  size_t held_ = 0;
};

// Large blocks: the smallest free part of a region that suffices, of which the rest stays free; freed
// neighbours become one. So what tensors of one size leave serves tensors of another.
class Regions {
 public:
  explicit Regions(DriverMemory* driver) : driver_(driver) {}

  void* Allocate(size_t wanted) {
    const size_t bytes = RoundUp(wanted, kAlignment);
    auto found = free_.lower_bound({bytes, nullptr});
    if (found == free_.end()) {
      if (!AddRegion(bytes)) return nullptr;
      found = free_.lower_bound({bytes, nullptr});
    }
    const auto part = parts_.find(found->second);
    free_.erase(found);
    part->second.free = false;
    const size_t rest = part->second.bytes - bytes;
    if (rest > kMaxSmallBlock) {  // less serves nobody
      part->second.bytes = bytes;
      AddFree(part->first + bytes, {rest, false, true});
    }
    return part->first;
  }

  void Deallocate(void* data) {
    auto part = parts_.find(static_cast<char*>(data));
    part->second.free = true;
    const auto next = std::next(part);
    if (next != parts_.end() && next->second.free && !next->second.begins_region) {
      TakeIn(part, next);
    }
    if (!part->second.begins_region && std::prev(part)->second.free) {
      const auto before = std::prev(part);
      free_.erase({before->second.bytes, before->first});
      TakeIn(before, part);
      part = before;
    }
    free_.insert({part->second.bytes, part->first});
  }

  // Gives back the regions of which nothing is used.
  void Release() {
    for (auto part = parts_.begin(); part != parts_.end();) {
      const auto next = std::next(part);
      const bool whole = part->second.begins_region &&
                         (next == parts_.end() || next->second.begins_region);
      if (whole && part->second.free) {
        free_.erase({part->second.bytes, part->first});
        driver_->GiveBack(part->first, part->second.bytes);
        parts_.erase(part);
      }
      part = next;
    }
  }

 private:
  struct Part {
    size_t bytes;
    bool begins_region;
    bool free;
  };
  using Parts = std::map<char*, Part>;

  void AddFree(char* data, const Part& part) {
    parts_.emplace(data, part);
    free_.insert({part.bytes, data});
  }

  // The part takes in the one behind it.
  void TakeIn(Parts::iterator part, Parts::iterator next) {
    free_.erase({next->second.bytes, next->first});  // where it is among them
    part->second.bytes += next->second.bytes;
    parts_.erase(next);
  }

  bool AddRegion(size_t bytes) {
    const size_t least = RoundUp(bytes, kRegionStep);
    const size_t wanted = std::max(least, next_region_);
    void* data = driver_->Take(wanted);
    size_t taken = wanted;
    if (data == nullptr) {
      Release();
      data = driver_->Take(taken = least);
    }
    if (data == nullptr && bytes < least) data = driver_->Take(taken = bytes);  // the last of it
    if (data == nullptr) return false;
    next_region_ = std::min(2 * next_region_, kLargestRegion);
    AddFree(static_cast<char*>(data), {taken, true, true});
    return true;
  }

  DriverMemory* const driver_;
  Parts parts_;  // by address: neighbours of a region lie side by side
  std::set<std::pair<size_t, char*>> free_;
  size_t next_region_ = kFirstRegion;
};

// Device memory that keeps freed blocks. A block is handed out again at once: whoever used it last
// queued that work on the same stream. Regions go back to the driver only when it has no more.
class CudaPool final : public Allocator {
 public:
  CudaPool(int ordinal, size_t limit) : driver_(ordinal, limit), regions_(&driver_) {}

  void* Allocate(size_t bytes) override {
    const SizeClass size = SizeClassOf(bytes);
    if (size.index >= kNumSizeClasses) return nullptr;
    std::lock_guard<std::mutex> lock(mutex_);
    if (size.bytes > kMaxSmallBlock) return regions_.Allocate(bytes);
    std::vector<void*>& free = free_[static_cast<size_t>(size.index)];
    if (free.empty()) return CutFromSlab(size.bytes);
    void* data = free.back();
    free.pop_back();
    return data;
  }

  void Deallocate(void* data, size_t bytes) override {
    const SizeClass size = SizeClassOf(bytes);
    std::lock_guard<std::mutex> lock(mutex_);
    if (size.bytes > kMaxSmallBlock) return regions_.Deallocate(data);
    free_[static_cast<size_t>(size.index)].push_back(data);
  }

 private:
  void* CutFromSlab(size_t bytes) {
    if (slab_left_ < bytes) {
      void* slab = driver_.Take(kSlab);
      if (slab == nullptr) {
        regions_.Release();
        slab = driver_.Take(kSlab);
      }
      if (slab == nullptr) return nullptr;
      slab_next_ = static_cast<char*>(slab);
      slab_left_ = kSlab;
    }
    void* data = slab_next_;
    slab_next_ += bytes;
    slab_left_ -= bytes;
    return data;
  }

  std::mutex mutex_;
  DriverMemory driver_;
  Regions regions_;
  std::array<std::vector<void*>, kNumSizeClasses> free_;  // small ones
  char* slab_next_ = nullptr;
  size_t slab_left_ = 0;
};

// Each block the driver's own, of just the bytes that were asked for, and given back at once.
class CudaBlocks final : public Allocator {
 public:
  explicit CudaBlocks(int ordinal) : ordinal_(ordinal) {}

  void* Allocate(size_t bytes) override {
    void* data = nullptr;
    if (cudaSetDevice(ordinal_) == cudaSuccess &&
        cudaMalloc(&data, std::max<size_t>(bytes, 1)) == cudaSuccess) {
      return data;
    }
    cudaGetLastError();  // forget it: the answer is null
    return nullptr;
  }

  void Deallocate(void* data, size_t) override {
    if (cudaSetDevice(ordinal_) == cudaSuccess) cudaFree(data);
  }

 private:
  const int ordinal_;
};

}  // namespace

bool UsesCudaPool() {
  static const bool uses_pool = [] {
    const char* pool = std::getenv("TFBUILD_GPU_POOL");
    return pool == nullptr || std::strcmp(pool, "0") != 0;
  }();
  return uses_pool;
}

std::unique_ptr<Allocator> MakeCudaAllocator(int ordinal, size_t limit) {
  if (!UsesCudaPool()) return std::make_unique<CudaBlocks>(ordinal);
  return std::make_unique<CudaPool>(ordinal, limit);
}

}  // namespace tfbuild
