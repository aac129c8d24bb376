#pragma once

// Seen by tensor/cuda_device.cc and *.cu only.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tensor/device.h"

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
  const void* step = nullptr;
  int64_t position = 0;
  int64_t value = 0;
  int64_t limit = 0;
};

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

// One GPU. All its work is queued on one stream. Thread-safe.
class CudaDevice final : public Device {
 public:
  static Result<std::unique_ptr<CudaDevice>> Make(int ordinal, const cudaDeviceProp& properties);
  ~CudaDevice() override;

  std::string description() const override { return description_; }
  int64_t memory_bytes() const override { return memory_bytes_; }
  Allocator* allocator() override { return allocator_.get(); }
  Status CopyFromHost(const Tensor& source, Tensor* target) override;
  Status CopyToHost(const Tensor& source, Tensor* target) override;
  Status CopyWithin(const Tensor& source, Tensor* target) override;
  Status Synchronize() override;
  Status EndStep(const void* step) override;

  cudaStream_t stream() const { return stream_; }
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
  IndexFault* index_fault(const void* step) const {
    const uintptr_t number = reinterpret_cast<uintptr_t>(step);
    return index_faults_ + (number >> 6 ^ number >> 12) % kIndexFaults;
  }

  Result<LockedHandle<cublasContext>> LockCublas();
  Result<LockedHandle<cudnnContext>> LockCudnn();

 private:
  class Staging;
  CudaDevice(int ordinal, const cudaDeviceProp& properties);
  Status MakeCublas();
  Status TakeIndexFault(IndexFault* fault);

  std::string description_;
  int64_t memory_bytes_;
  int processors_;
  int major_;
  bool allow_tf32_;
  bool wants_one_result_;
  cudaStream_t stream_ = nullptr;
  std::unique_ptr<Allocator> allocator_;
  std::unique_ptr<Staging> staging_;
  std::mutex sites_mutex_;
  std::vector<std::pair<std::string, std::string>> sites_;  // node and name
  IndexFault* index_faults_ = nullptr;  // kIndexFaults
  std::mutex cublas_mutex_;
  cublasContext* cublas_ = nullptr;
  std::mutex cudnn_mutex_;
  cudnnContext* cudnn_ = nullptr;
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
