#include "tensor/cuda_moment.h"

#include "tensor/cuda_device.h"

namespace tfbuild {

Result<cudaEvent_t> CudaEvents::Take() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!free_.empty()) {
      const cudaEvent_t event = free_.back();
      free_.pop_back();
      return event;
    }
  }
  CUDA_RETURN_IF_ERROR(cudaSetDevice(ordinal_));
  cudaEvent_t event = nullptr;
  CUDA_RETURN_IF_ERROR(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  return event;
}

// Who waits for it does so for what it was when the wait was queued, so it may be recorded anew.
void CudaEvents::GiveBack(cudaEvent_t event) {
  std::lock_guard<std::mutex> lock(mutex_);
  free_.push_back(event);
}

Result<std::shared_ptr<CudaMoment>> CudaMoment::Record(CudaEvents* events, cudaStream_t stream) {
  ASSIGN_OR_RETURN(const cudaEvent_t event, events->Take());
  std::shared_ptr<CudaMoment> moment(new CudaMoment(events, event));
  CUDA_RETURN_IF_ERROR(cudaEventRecord(event, stream));
  return moment;
}

Status CudaMoment::Wait() {
  CUDA_RETURN_IF_ERROR(cudaEventSynchronize(event_));
  return OkStatus();
}

Status CudaMoment::HoldUp(cudaStream_t stream) const {
  CUDA_RETURN_IF_ERROR(cudaStreamWaitEvent(stream, event_, 0));
  return OkStatus();
}

}  // namespace tfbuild
