#pragma once

// Seen by cuda_*.cc and *.cu only.

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/fork.h"
#include "tensor/cuda_allocator.h"
#include "tensor/cuda_arrivals.h"
#include "tensor/cuda_capture.h"
#include "tensor/cuda_moment.h"
#include "tensor/cuda_staging.h"
#include "tensor/queued_device.h"

struct cublasContext;
struct cudnnContext;

namespace tfbuild {

// Ok, or an error that quotes the call and CUDA's words. Memory that is not there is
// ResourceExhausted, the rest Internal.
Status CudaStatus(cudaError_t error, const char* call);
// The same for the codes of cuBLAS and cuDNN, as their headers are slow to read for every kernel.
Status CublasStatus(int status, const char* call);
Status CudnnStatus(int status, const char* call);

// The first wrong index that kernels of a step have met, where they leave it: in memory of the host
// that they can reach.
struct IndexFault {
  int taken = 0;  // 1 from the thread on that fills the rest
  int site = 0;
  uint64_t step = 0;  // StepNumber
  int64_t position = 0;
  int64_t value = 0;
  int64_t limit = 0;
};

// What kernels know a step by: no address, since a GPU could do nothing with one of the host.
inline uint64_t StepNumber(const void* step) { return ~uint64_t{reinterpret_cast<uintptr_t>(step)}; }

// There are so many, and each step has one: with as many steps at once two may share it, and then the
// first error counts.
constexpr int kIndexFaults = 64;

// A handle of cuBLAS or cuDNN, bound to the device's stream, and the right to use it while this
// lives.
template <typename Context>
struct LockedHandle {
  std::unique_lock<std::mutex> lock;
  Context* handle;
};

// One GPU. All its kernels are queued on one stream, but those that a thread captures. Thread-safe.
class CudaDevice final : public QueuedDevice {
 public:
  static Result<std::unique_ptr<CudaDevice>> Make(int ordinal, const cudaDeviceProp& properties);
  ~CudaDevice() override;

  std::string description() const override { return description_; }
  int64_t memory_bytes() const override { return memory_bytes_; }
  Allocator* allocator() override {
    const CudaCapture* const capture = CaptureOfThisThread();
    return capture == nullptr ? allocator_.get() : capture->memory.get();
  }
  bool is_usable() const override { return !is_forked_; }
  // Tensor cores read channels side by side; cuDNN's algorithms for float without them do not.
  bool PrefersChannelsLast(DType dtype) const override {
    return dtype == DType::kHalf || dtype == DType::kBFloat16 ||
           (dtype == DType::kFloat && allow_tf32_);
  }
  Status CopyFromHost(const Tensor& source, Tensor* target) override;
  Status CopyToHost(const Tensor& source, Tensor* target) override;
  Status CopyWithin(const Tensor& source, Tensor* target) override;
  Status Synchronize() override;
  Status EndStep(const void* step) override;

  Result<std::shared_ptr<Moment>> Mark() override;
  // Without a pool each tensor has a block of its own, which is given back at once.
  Allocator* arrivals() override { return UsesCudaPool() ? arrivals_.get() : allocator(); }
  Status CopyToHostAfter(Moment* ready, const Tensor& source, Tensor* target) override;
  bool IsPeer(const Device& other) const override;
  Status CopyFromPeer(QueuedDevice* peer, Moment* ready, const Tensor& source,
                      Tensor* target) override;
  Status BeginCapture() override;
  Status CheckCapture() override;
  Result<std::unique_ptr<CapturedWork>> EndCapture() override;

  // Where this thread's kernels are queued.
  cudaStream_t stream() const {
    const CudaCapture* const capture = CaptureOfThisThread();
    return capture == nullptr ? stream_ : capture->stream;
  }
  int processors() const { return processors_; }
  // Whether float products may round their factors to TF32, where the GPU can; not with
  // TFBUILD_ALLOW_TF32=0.
  bool allow_tf32() const { return allow_tf32_; }
  // Whether the same numbers must give the same bits each time: with TF_DETERMINISTIC_OPS=1.
  bool wants_one_result() const { return wants_one_result_; }
  // Makes this the device that the CUDA calls of this thread go to.
  Status Activate() const;

  // A number for a place where indices are checked: `name` of node `node`, as messages call it.
  int IndexSite(const std::string& node, const std::string& name);
  // Where a kernel that is queued now leaves what it finds; EndStep(step) waits for it. While this
  // thread captures it is a place of the captured work's own.
  IndexFault* index_fault(const void* step);
  // EndStep(step) looks there as well.
  void ExpectFault(const void* step, std::shared_ptr<IndexFault> fault);

  Result<LockedHandle<cublasContext>> LockCublas();
  Result<LockedHandle<cudnnContext>> LockCudnn();

  // Opens the way for copies from another GPU, where there is one.
  Status ReachPeer(int peer) const;

 private:
  CudaDevice(int ordinal, const cudaDeviceProp& properties);
  Status MakeCublas();
  IndexFault* SlotOf(const void* step) const {
    const uintptr_t number = reinterpret_cast<uintptr_t>(step);
    return index_faults_ + (number >> 6 ^ number >> 12) % kIndexFaults;
  }
  Status TakeIndexFault(IndexFault* fault);
  Result<std::shared_ptr<IndexFault>> NewFault();
  Status WaitForKernels();
  // Copies into `target` on the stream may begin; and kernels behind what was copied.
  Status BeginArrival(void* target, cudaStream_t stream);
  Result<std::shared_ptr<CudaMoment>> EndArrival(cudaStream_t stream);

  // Null, but while this thread captures.
  CudaCapture* CaptureOfThisThread() const {
    return num_captures_.load(std::memory_order_relaxed) == 0 ? nullptr : FindCapture();
  }
  CudaCapture* FindCapture() const;
  // An error while this thread captures, which then comes to nothing.
  Status RefuseInCapture(const char* what) const;

  std::atomic<bool> is_forked_{false};
  const RenewedByFork mark_forked_{[this] { is_forked_ = true; }};
  std::string description_;
  int64_t memory_bytes_;
  int processors_;
  int major_;
  bool allow_tf32_;
  bool wants_one_result_;
  const bool waits_for_steps_;
  const bool captures_allowed_;
  cudaStream_t stream_ = nullptr;
  cudaStream_t from_host_ = nullptr;
  cudaStream_t to_host_ = nullptr;
  cudaStream_t from_peers_ = nullptr;
  CudaEvents events_;
  CudaStaging staging_;
  std::unique_ptr<Allocator> allocator_;
  std::unique_ptr<CudaArrivals> arrivals_;
  std::atomic<int> num_captures_{0};
  mutable std::mutex captures_mutex_;
  std::map<std::thread::id, std::unique_ptr<CudaCapture>> captures_;
  std::vector<cudaStream_t> free_capture_streams_;
  std::mutex sites_mutex_;
  std::vector<std::pair<std::string, std::string>> sites_;  // node and name
  std::set<const void*> checking_;  // steps whose kernels check indices
  IndexFault* index_faults_ = nullptr;  // kIndexFaults
  std::mutex faults_mutex_;  // the last to be locked
  std::vector<IndexFault*> free_faults_;  // that captured work had
  std::multimap<const void*, std::shared_ptr<IndexFault>> expected_faults_;  // by steps
  std::mutex cublas_mutex_;
  cublasContext* cublas_ = nullptr;
  cudaStream_t cublas_stream_ = nullptr;
  void* cublas_workspace_ = nullptr;
  size_t cublas_workspace_bytes_ = 0;
  std::mutex cudnn_mutex_;
  cudnnContext* cudnn_ = nullptr;
  cudaStream_t cudnn_stream_ = nullptr;
};

}  // namespace tfbuild

#define CUDA_RETURN_IF_ERROR(call) RETURN_IF_ERROR(::tfbuild::CudaStatus((call), #call))
#define CUBLAS_RETURN_IF_ERROR(call) RETURN_IF_ERROR(::tfbuild::CublasStatus((call), #call))
#define CUDNN_RETURN_IF_ERROR(call) RETURN_IF_ERROR(::tfbuild::CudnnStatus((call), #call))

extern "C" {
// The architectures with device code in this library, "7.5 8.0 9.0"; lives as long as the library.
const char* TfbuildCudaArchitectures();
// Ok when the current device can run the code of this library.
cudaError_t TfbuildCudaProbe();
// Adds each GPU that can be used to the devices; ok when there is at least one.
void TfbuildAddCudaDevices(tfbuild::Status* status);
}
