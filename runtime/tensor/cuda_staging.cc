#include "tensor/cuda_staging.h"

#include <algorithm>
#include <cstring>

#include "tensor/cuda_device.h"

namespace tfbuild {
namespace {

bool IsDone(cudaEvent_t event) {
  if (cudaEventQuery(event) == cudaSuccess) return true;
  cudaGetLastError();  // that it is not done is no error
  return false;
}

}  // namespace

Result<CudaStaging::Piece> CudaStaging::Make() {
  Piece piece;
  void* data = nullptr;
  CUDA_RETURN_IF_ERROR(cudaEventCreateWithFlags(&piece.event, cudaEventDisableTiming));
  const cudaError_t error = cudaMallocHost(&data, kPiece);
  if (error != cudaSuccess) {
    cudaGetLastError();
    cudaEventDestroy(piece.event);
    return CudaStatus(error, "cudaMallocHost");
  }
  piece.data = static_cast<char*>(data);
  return piece;
}

Result<CudaStaging::Piece> CudaStaging::Take(bool may_wait) {
  std::unique_lock<std::mutex> lock(mutex_);
  const bool at_once = !free_.empty() && IsDone(free_.front().event);
  if (!at_once && made_ < most_) {
    Result<Piece> made = Make();
    if (made.ok() || made_ == 0) {
      made_ += made.ok();
      return made;
    }
    most_ = made_;  // the system has no more: those that there are must do
  }
  if (!at_once && !may_wait) return Piece();
  freed_.wait(lock, [this] { return !free_.empty(); });
  const Piece piece = free_.front();
  free_.pop_front();
  lock.unlock();
  const cudaError_t error = cudaEventSynchronize(piece.event);
  if (error == cudaSuccess) return piece;
  GiveBack(piece);
  return CudaStatus(error, "cudaEventSynchronize");
}

void CudaStaging::GiveBack(const Piece& piece) {
  std::lock_guard<std::mutex> lock(mutex_);
  free_.push_back(piece);
  freed_.notify_one();
}

Status CudaStaging::ToDevice(const char* source, char* target, size_t bytes,
                             cudaStream_t stream) {
  for (size_t done = 0; done < bytes; done += kPiece) {
    const size_t size = std::min(kPiece, bytes - done);
    ASSIGN_OR_RETURN(const Piece piece, Take(true));
    std::memcpy(piece.data, source + done, size);
    cudaError_t error =
        cudaMemcpyAsync(target + done, piece.data, size, cudaMemcpyHostToDevice, stream);
    if (error == cudaSuccess) error = cudaEventRecord(piece.event, stream);
    GiveBack(piece);  // the event shows the next who takes it when it may be filled
    CUDA_RETURN_IF_ERROR(error);
  }
  return OkStatus();
}

Status CudaStaging::Arrive(const Arrival& arrival) {
  const cudaError_t error = cudaEventSynchronize(arrival.piece.event);
  if (error == cudaSuccess) std::memcpy(arrival.target, arrival.piece.data, arrival.bytes);
  GiveBack(arrival.piece);
  return CudaStatus(error, "cudaEventSynchronize");
}

// Whoever waits for a piece holds none, so that copies of several threads never wait in a ring.
Status CudaStaging::ToHost(const char* source, char* target, size_t bytes, cudaStream_t stream) {
  std::deque<Arrival> arrivals;
  Status status;
  for (size_t begun = 0; begun < bytes || !arrivals.empty();) {
    if (status.ok() && begun < bytes && arrivals.size() < kOnTheirWay) {
      const Result<Piece> piece = Take(arrivals.empty());
      status = piece.status();
      if (status.ok() && piece->data != nullptr) {
        const size_t size = std::min(kPiece, bytes - begun);
        cudaError_t error = cudaMemcpyAsync(piece->data, source + begun, size,
                                            cudaMemcpyDeviceToHost, stream);
        if (error == cudaSuccess) error = cudaEventRecord(piece->event, stream);
        arrivals.push_back({*piece, target + begun, size});
        status = CudaStatus(error, "copying to the host");
        begun += size;
        continue;
      }
    }
    if (arrivals.empty()) return status;  // it failed before the first
    const Status arrived = Arrive(arrivals.front());
    arrivals.pop_front();
    if (status.ok()) status = arrived;
    if (!status.ok()) begun = bytes;
  }
  return status;
}

}  // namespace tfbuild
