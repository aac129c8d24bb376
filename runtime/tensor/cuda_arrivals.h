#pragma once

// Seen by tensor/cuda_*.cc only.

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "tensor/allocator_part.h"
#include "tensor/cuda_moment.h"

namespace tfbuild {

// Memory of a pool for what comes from elsewhere. Blocks that are given back are kept with the moment
// from which on nobody uses them, so that a copy into them waits for that and no longer, on whatever
// stream it runs.
class CudaArrivals final : public AllocatorPart {
 public:
  // More is given back to the pool, whose blocks may be in use until all that is queued is done.
  static constexpr size_t kMostKept = size_t{64} << 20;
  using Mark = std::function<Result<std::shared_ptr<CudaMoment>>()>;

  CudaArrivals(Allocator* pool, Mark mark) : pool_(pool), mark_(std::move(mark)) {}
  void* Allocate(size_t bytes) override;
  void Deallocate(void* data, size_t bytes) override;
  Allocator* whole() override { return pool_; }

  // From when on the block may be written, for the first who asks; null where it is not known.
  std::shared_ptr<CudaMoment> FreeSince(void* data);

 private:
  struct Kept {
    void* data;
    std::shared_ptr<CudaMoment> since;
  };
  void GiveUpKept();

  Allocator* const pool_;
  const Mark mark_;
  std::mutex mutex_;
  std::map<size_t, std::vector<Kept>> kept_;  // by their size
  size_t kept_bytes_ = 0;
  std::map<void*, std::shared_ptr<CudaMoment>> free_since_;  // of blocks that were handed out
};

}  // namespace tfbuild
