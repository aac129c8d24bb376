#include "tensor/cuda_capture.h"

#include <utility>

#include "tensor/cuda_device.h"

namespace tfbuild {
namespace {

Status CannotBeCaptured(const char* what) {
  return FailedPrecondition(what, " cannot be part of captured work");
}

}  // namespace

void* CaptureMemory::Allocate(size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = free_.lower_bound(bytes);
  void* data = nullptr;
  if (found != free_.end() && found->first / 2 <= bytes) {
    data = found->second;
    free_.erase(found);
  } else {
    data = pool_->Allocate(bytes);
    if (data == nullptr) return nullptr;
    size_of_[data] = bytes;
    bytes_ += bytes;
  }
  ++users_;
  return data;
}

void CaptureMemory::Deallocate(void* data, size_t) {
  std::unique_lock<std::mutex> lock(mutex_);
  free_.emplace(size_of_.at(data), data);
  Release(std::move(lock));
}

void CaptureMemory::End() {
  std::unique_lock<std::mutex> lock(mutex_);
  ended_ = true;
  Release(std::move(lock));
}

void CaptureMemory::Release(std::unique_lock<std::mutex> lock) {
  if (ended_) GiveUpFree();
  const bool last = --users_ == 0;
  lock.unlock();
  if (last) delete this;
}

void CaptureMemory::GiveUpFree() {
  for (const auto& [bytes, data] : free_) pool_->Deallocate(data, bytes);
  free_.clear();
}

size_t CaptureMemory::bytes() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return bytes_;
}

CudaGraph::CudaGraph(CudaDevice* device, CudaCapture* capture)
    : device_(device),
      stream_(device->stream()),
      memory_(std::move(capture->memory)),
      fault_(std::move(capture->fault)) {}

Result<std::unique_ptr<CapturedWork>> CudaGraph::Make(cudaGraph_t graph, CudaDevice* device,
                                                      CudaCapture* capture) {
  std::unique_ptr<CudaGraph> work(new CudaGraph(device, capture));
  CUDA_RETURN_IF_ERROR(cudaGraphGetNodes(graph, nullptr, &work->num_parts_));
  CUDA_RETURN_IF_ERROR(cudaGraphInstantiate(&work->executable_, graph, 0));
  return Result<std::unique_ptr<CapturedWork>>(std::move(work));
}

// Its memory may be somebody else's from now on only for what is queued behind it; the executable
// graph itself must have ended.
CudaGraph::~CudaGraph() {
  if (executable_ == nullptr) return;
  cudaStreamSynchronize(stream_);
  cudaGraphExecDestroy(executable_);
}

Status CudaGraph::Queue(const void* step) {
  if (fault_ != nullptr) device_->ExpectFault(step, fault_);
  CUDA_RETURN_IF_ERROR(cudaGraphLaunch(executable_, stream_));
  return OkStatus();
}

CudaCapture* CudaDevice::FindCapture() const {
  std::lock_guard<std::mutex> lock(captures_mutex_);
  const auto found = captures_.find(std::this_thread::get_id());
  return found == captures_.end() ? nullptr : found->second.get();
}

Status CudaDevice::RefuseInCapture(const char* what) const {
  CudaCapture* const capture = CaptureOfThisThread();
  if (capture == nullptr) return OkStatus();
  capture->refused = CannotBeCaptured(what);
  return capture->refused;
}

// Other threads go on meanwhile, on the device's own stream. Relaxed: memory may be asked of the
// driver, which does no work on the GPU.
Status CudaDevice::BeginCapture() {
  if (!captures_allowed_) return Unimplemented("TFBUILD_CUDA_GRAPHS=0 switches captures off");
  RETURN_IF_ERROR(RefuseInCapture("another capture"));
  RETURN_IF_ERROR(Activate());
  auto capture = std::make_unique<CudaCapture>();
  std::lock_guard<std::mutex> lock(captures_mutex_);
  if (free_capture_streams_.empty()) {
    CUDA_RETURN_IF_ERROR(cudaStreamCreateWithFlags(&capture->stream, cudaStreamNonBlocking));
  } else {
    capture->stream = free_capture_streams_.back();
    free_capture_streams_.pop_back();
  }
  capture->memory = CaptureMemory::Make(allocator_.get());
  const cudaError_t error =
      cudaStreamBeginCapture(capture->stream, cudaStreamCaptureModeRelaxed);
  if (error != cudaSuccess) {
    free_capture_streams_.push_back(capture->stream);
    return CudaStatus(error, "cudaStreamBeginCapture");
  }
  captures_[std::this_thread::get_id()] = std::move(capture);
  num_captures_.fetch_add(1, std::memory_order_relaxed);
  return OkStatus();
}

Status CudaDevice::CheckCapture() {
  const CudaCapture* const capture = CaptureOfThisThread();
  if (capture == nullptr) return FailedPrecondition("nothing is captured");
  RETURN_IF_ERROR(capture->refused);
  cudaStreamCaptureStatus state = cudaStreamCaptureStatusNone;
  CUDA_RETURN_IF_ERROR(cudaStreamIsCapturing(capture->stream, &state));
  return state == cudaStreamCaptureStatusActive ? OkStatus()
                                                : CannotBeCaptured("what waits for the GPU");
}

Result<std::unique_ptr<CapturedWork>> CudaDevice::EndCapture() {
  RETURN_IF_ERROR(Activate());
  std::unique_ptr<CudaCapture> capture;
  cudaGraph_t graph = nullptr;
  cudaError_t error = cudaSuccess;
  {
    std::lock_guard<std::mutex> lock(captures_mutex_);
    const auto found = captures_.find(std::this_thread::get_id());
    if (found == captures_.end()) return FailedPrecondition("nothing is captured");
    capture = std::move(found->second);
    captures_.erase(found);
    num_captures_.fetch_sub(1, std::memory_order_relaxed);
    error = cudaStreamEndCapture(capture->stream, &graph);
    free_capture_streams_.push_back(capture->stream);
  }
  if (error != cudaSuccess) cudaGetLastError();  // it is reported here, and once is enough
  CUDA_RETURN_IF_ERROR(error);
  Result<std::unique_ptr<CapturedWork>> work =
      capture->refused.ok() ? CudaGraph::Make(graph, this, capture.get())
                            : Result<std::unique_ptr<CapturedWork>>(capture->refused);
  cudaGraphDestroy(graph);
  return work;
}

}  // namespace tfbuild
