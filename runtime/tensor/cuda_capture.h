#pragma once

// Seen by tensor/cuda_*.cc only.

#include <cuda_runtime_api.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "tensor/allocator_part.h"
#include "tensor/queued_device.h"

namespace tfbuild {

class CudaDevice;
struct IndexFault;

// Memory of captured work: a block that is given back serves later work of the same capture, but goes
// to the pool only when the work is not queued again. Lives until the last of its tensors is gone.
class CaptureMemory final : public AllocatorPart {
 public:
  struct Ender {
    void operator()(CaptureMemory* memory) const { memory->End(); }
  };
  using Ptr = std::unique_ptr<CaptureMemory, Ender>;

  static Ptr Make(Allocator* pool) { return Ptr(new CaptureMemory(pool)); }
  void* Allocate(size_t bytes) override;
  void Deallocate(void* data, size_t bytes) override;
  Allocator* whole() override { return pool_; }
  size_t bytes() const;

 private:
  explicit CaptureMemory(Allocator* pool) : pool_(pool) {}
  void End();
  void GiveUpFree();
  void Release(std::unique_lock<std::mutex> lock);

  Allocator* const pool_;
  mutable std::mutex mutex_;
  std::unordered_map<void*, size_t> size_of_;  // of every block
  std::multimap<size_t, void*> free_;
  size_t bytes_ = 0;
  size_t users_ = 1;  // the work, and each tensor
  bool ended_ = false;
};

// What a thread captures on a GPU.
struct CudaCapture {
  cudaStream_t stream = nullptr;
  CaptureMemory::Ptr memory;
  std::shared_ptr<IndexFault> fault;  // where its kernels leave a wrong index; null without a check
  Status refused;
};

// A CUDA graph, to be launched on the stream.
class CudaGraph final : public CapturedWork {
 public:
  // The work that was captured; it does not hold `graph`.
  static Result<std::unique_ptr<CapturedWork>> Make(cudaGraph_t graph, CudaDevice* device,
                                                    CudaCapture* capture);
  ~CudaGraph() override;
  Status Queue(const void* step) override;
  bool IsIdle() const override { return fault_ == nullptr || fault_.use_count() == 1; }
  size_t num_parts() const override { return num_parts_; }
  size_t bytes() const override { return memory_->bytes(); }

 private:
  CudaGraph(CudaDevice* device, CudaCapture* capture);
  CudaDevice* const device_;
  const cudaStream_t stream_;
  CaptureMemory::Ptr memory_;
  const std::shared_ptr<IndexFault> fault_;
  cudaGraphExec_t executable_ = nullptr;
  size_t num_parts_ = 0;
};

}  // namespace tfbuild
