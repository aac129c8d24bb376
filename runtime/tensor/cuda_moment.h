#pragma once

// Seen by tensor/cuda_*.cc only.

#include <cuda_runtime_api.h>

#include <memory>
#include <mutex>
#include <vector>

#include "tensor/queued_device.h"

namespace tfbuild {

// The events of one GPU, which are used again. Thread-safe.
class CudaEvents {
 public:
  explicit CudaEvents(int ordinal) : ordinal_(ordinal) {}
  Result<cudaEvent_t> Take();
  void GiveBack(cudaEvent_t event);

 private:
  const int ordinal_;
  std::mutex mutex_;
  std::vector<cudaEvent_t> free_;
};

// A moment of a stream.
class CudaMoment final : public Moment {
 public:
  static Result<std::shared_ptr<CudaMoment>> Record(CudaEvents* events, cudaStream_t stream);
  ~CudaMoment() override { events_->GiveBack(event_); }
  CudaMoment(const CudaMoment&) = delete;
  CudaMoment& operator=(const CudaMoment&) = delete;

  Status Wait() override;
  // The stream's later work waits for it; the stream may be another GPU's.
  Status HoldUp(cudaStream_t stream) const;

 private:
  CudaMoment(CudaEvents* events, cudaEvent_t event) : events_(events), event_(event) {}
  CudaEvents* const events_;
  const cudaEvent_t event_;
};

}  // namespace tfbuild
