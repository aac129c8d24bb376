#include "tensor/cuda_arrivals.h"

namespace tfbuild {

void* CudaArrivals::Allocate(size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto kept = kept_.find(bytes);
  if (kept == kept_.end() || kept->second.empty()) {
    void* data = pool_->Allocate(bytes);
    if (data != nullptr || kept_bytes_ == 0) return data;
    GiveUpKept();
    return pool_->Allocate(bytes);
  }
  // The last one first: a step that does the same as the one before finds the same addresses.
  const Kept block = std::move(kept->second.back());
  kept->second.pop_back();
  kept_bytes_ -= bytes;
  free_since_[block.data] = block.since;
  return block.data;
}

void CudaArrivals::Deallocate(void* data, size_t bytes) {
  const Result<std::shared_ptr<CudaMoment>> since = mark_();
  std::lock_guard<std::mutex> lock(mutex_);
  free_since_.erase(data);  // where nothing was ever copied there
  if (!since.ok() || bytes > kMostKept - kept_bytes_) return pool_->Deallocate(data, bytes);
  kept_[bytes].push_back({data, *since});
  kept_bytes_ += bytes;
}

std::shared_ptr<CudaMoment> CudaArrivals::FreeSince(void* data) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto known = free_since_.find(data);
  if (known == free_since_.end()) return nullptr;
  const std::shared_ptr<CudaMoment> since = std::move(known->second);
  free_since_.erase(known);
  return since;
}

void CudaArrivals::GiveUpKept() {
  for (const auto& [bytes, blocks] : kept_) {
    for (const Kept& block : blocks) pool_->Deallocate(block.data, bytes);
  }
  kept_.clear();
  kept_bytes_ = 0;
}

}  // namespace tfbuild
