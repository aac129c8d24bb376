#include "tensor/cuda_allocator.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

#include "tensor/size_class.h"

namespace tfbuild {
namespace {

// Blocks up to this size are cut from slabs; larger ones are the driver's own.
constexpr size_t kMaxSmallBlock = size_t{1} << 20;
constexpr size_t kSlab = size_t{16} << 20;

// Device memory that keeps freed blocks. A block is handed out again at once: whoever used it last
// queued that work on the same stream. Blocks go back to the driver only when it has no more.
class CudaPool final : public Allocator {
 public:
  CudaPool(int ordinal, size_t limit) : ordinal_(ordinal), limit_(limit) {}

  void* Allocate(size_t bytes) override {
    const SizeClass size = SizeClassOf(bytes);
    if (size.index >= kNumSizeClasses) return nullptr;
    std::lock_guard<std::mutex> lock(mutex_);
    std::vector<void*>& free = free_[static_cast<size_t>(size.index)];
    if (!free.empty()) {
      void* data = free.back();
      free.pop_back();
      return data;
    }
    return size.bytes <= kMaxSmallBlock ? CutFromSlab(size.bytes) : FromDriver(size.bytes);
  }

  void Deallocate(void* data, size_t bytes) override {
    std::lock_guard<std::mutex> lock(mutex_);
    free_[static_cast<size_t>(SizeClassOf(bytes).index)].push_back(data);
  }

 private:
  void* CutFromSlab(size_t bytes) {
    if (slab_left_ < bytes) {
      void* slab = FromDriver(kSlab);
      if (slab == nullptr) return nullptr;
      slab_next_ = static_cast<char*>(slab);
      slab_left_ = kSlab;
    }
    void* data = slab_next_;
    slab_next_ += bytes;
    slab_left_ -= bytes;
    return data;
  }

  void* FromDriver(size_t bytes) {
    if (cudaSetDevice(ordinal_) != cudaSuccess) return nullptr;
    void* data = TryDriver(bytes);
    if (data != nullptr) return data;
    ReleaseCached();
    return TryDriver(bytes);
  }

  void* TryDriver(size_t bytes) {
    if (bytes > limit_ - held_) return nullptr;
    void* data = nullptr;
    if (cudaMalloc(&data, bytes) != cudaSuccess) {
      cudaGetLastError();  // forget it: the answer is null
      return nullptr;
    }
    held_ += bytes;
    return data;
  }

  // cudaFree waits for queued work, so nothing can still be using a block.
  void ReleaseCached() {
    for (int index = 0; index < kNumSizeClasses; ++index) {
      const size_t bytes = SizeClassBytes(index);
      if (bytes <= kMaxSmallBlock) continue;  // part of a slab
      std::vector<void*>& free = free_[static_cast<size_t>(index)];
      for (void* data : free) cudaFree(data);
      held_ -= free.size() * bytes;
      free.clear();
    }
  }

  const int ordinal_;
  const size_t limit_;
  std::mutex mutex_;
  std::array<std::vector<void*>, kNumSizeClasses> free_;
  size_t held_ = 0;  // never more than limit_
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

std::unique_ptr<Allocator> MakeCudaAllocator(int ordinal, size_t limit) {
  const char* pool = std::getenv("TFBUILD_GPU_POOL");
  if (pool != nullptr && std::strcmp(pool, "0") == 0) return std::make_unique<CudaBlocks>(ordinal);
  return std::make_unique<CudaPool>(ordinal, limit);
}

}  // namespace tfbuild
