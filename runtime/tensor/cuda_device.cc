#include "tensor/cuda_device.h"

#include <cublas_v2.h>
#include <cudnn.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "tensor/cuda_allocator.h"

namespace tfbuild {
namespace {

constexpr double kDefaultMemoryFraction = 0.95;

Status CheckCopy(const Tensor& source, const Tensor& target) {
  if (IsHostObject(source.dtype())) {
    return InvalidArgument("strings and variants stay on the host: a tensor of type ",
                           DTypeName(source.dtype()), " cannot be copied to or from a GPU");
  }
  if (source.dtype() != target.dtype() || source.num_elements() != target.num_elements()) {
    return Internal("copy between tensors that differ: ", DTypeName(source.dtype()),
                    source.shape(), " and ", DTypeName(target.dtype()), target.shape());
  }
  return OkStatus();
}

// The share of a GPU's memory that tensors may take.
Result<double> MemoryFraction() {
  const char* text = std::getenv("TFBUILD_GPU_MEMORY_FRACTION");
  if (text == nullptr || *text == '\0') return kDefaultMemoryFraction;
  char* end = nullptr;
  const double fraction = std::strtod(text, &end);
  if (*end != '\0' || !(fraction > 0 && fraction <= 1)) {
    return InvalidArgument("TFBUILD_GPU_MEMORY_FRACTION must be a number above 0 and at most 1, "
                           "not '", text, "'");
  }
  return fraction;
}

// As in TensorFlow, unless it is switched off.
bool AllowsTf32() {
  const char* text = std::getenv("TFBUILD_ALLOW_TF32");
  return text == nullptr || std::strcmp(text, "0") != 0;
}

// TensorFlow's name and words.
bool WantsOneResult() {
  const char* text = std::getenv("TF_DETERMINISTIC_OPS");
  return text != nullptr && (text[0] == '1' || text[0] == 't' || text[0] == 'T');
}

std::string CudaVersion(int version) {
  return StrCat(version / 1000, ".", version % 1000 / 10);
}

// Why CUDA found no device.
Status DescribeNoDevices(cudaError_t error) {
  if (error == cudaErrorInsufficientDriver) {
    int driver = 0;
    cudaDriverGetVersion(&driver);
    return FailedPrecondition("the NVIDIA driver is too old: it supports CUDA ",
                              CudaVersion(driver), ", and this library was built with CUDA ",
                              CudaVersion(CUDART_VERSION), "; update the driver");
  }
  if (error != cudaSuccess && error != cudaErrorNoDevice) {
    return CudaStatus(error, "cudaGetDeviceCount");
  }
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible != nullptr) {
    return FailedPrecondition("no GPU is visible: CUDA_VISIBLE_DEVICES is '", visible,
                              "'; unset it or name a GPU");
  }
  return FailedPrecondition("the driver finds no GPU; check with nvidia-smi");
}

Status AddCudaDevice(int ordinal) {
  cudaDeviceProp properties;
  CUDA_RETURN_IF_ERROR(cudaGetDeviceProperties(&properties, ordinal));
  CUDA_RETURN_IF_ERROR(cudaSetDevice(ordinal));
  if (TfbuildCudaProbe() != cudaSuccess) {
    cudaGetLastError();
    return FailedPrecondition(properties.name, " has compute capability ", properties.major, ".",
                              properties.minor, ", but this library has code for ",
                              TfbuildCudaArchitectures(), " only; build one with "
                              "tfbuild build --cuda --cuda-architectures sm_", properties.major,
                              properties.minor);
  }
  ASSIGN_OR_RETURN(std::unique_ptr<CudaDevice> device, CudaDevice::Make(ordinal, properties));
  AddDevice(std::move(device));
  return OkStatus();
}

Status AddCudaDevices() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess || count == 0) return DescribeNoDevices(error);
  std::vector<std::string> refused;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    const Status status = AddCudaDevice(ordinal);
    if (!status.ok()) refused.push_back(status.message());
  }
  if (static_cast<int>(refused.size()) < count) return OkStatus();
  return FailedPrecondition(StrJoin(refused, "; "));
}

}  // namespace

Status CudaStatus(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return OkStatus();
  const Code code =
      error == cudaErrorMemoryAllocation ? Code::kResourceExhausted : Code::kInternal;
  return Status(code, StrCat(call, " failed: ", cudaGetErrorString(error), " (",
                             cudaGetErrorName(error), ")"));
}

Status CublasStatus(int status, const char* call) {
  if (status == CUBLAS_STATUS_SUCCESS) return OkStatus();
  const Code code =
      status == CUBLAS_STATUS_ALLOC_FAILED ? Code::kResourceExhausted : Code::kInternal;
  return Status(code, StrCat(call, " failed: ",
                             cublasGetStatusString(static_cast<cublasStatus_t>(status))));
}

Status CudnnStatus(int status, const char* call) {
  if (status == CUDNN_STATUS_SUCCESS) return OkStatus();
  const cudnnStatus_t error = static_cast<cudnnStatus_t>(status);
  // cuDNN calls a wish that it cannot fulfil a bad parameter now and then.
  const bool unsupported = status / 1000 == CUDNN_STATUS_NOT_SUPPORTED / 1000 ||
                           status / 1000 == CUDNN_STATUS_BAD_PARAM / 1000;
  return Status(unsupported ? Code::kUnimplemented : Code::kInternal,
                StrCat(call, " failed: ", cudnnGetErrorString(error)));
}

// Two pieces of pinned memory through which copies between host and device flow, so that one is
// filled while the other is on its way.
class CudaDevice::Staging {
 public:
  Status ToDevice(const char* source, char* target, size_t bytes, cudaStream_t stream) {
    std::lock_guard<std::mutex> lock(mutex_);
    RETURN_IF_ERROR(Prepare());
    for (size_t done = 0; done < bytes; done += kPiece) {
      const size_t piece = std::min(kPiece, bytes - done);
      Slot& slot = NextSlot();
      CUDA_RETURN_IF_ERROR(cudaEventSynchronize(slot.event));
      std::memcpy(slot.data, source + done, piece);
      CUDA_RETURN_IF_ERROR(
          cudaMemcpyAsync(target + done, slot.data, piece, cudaMemcpyHostToDevice, stream));
      CUDA_RETURN_IF_ERROR(cudaEventRecord(slot.event, stream));
    }
    return OkStatus();
  }

  Status ToHost(const char* source, char* target, size_t bytes, cudaStream_t stream) {
    std::lock_guard<std::mutex> lock(mutex_);
    RETURN_IF_ERROR(Prepare());
    Slot* previous = nullptr;
    for (size_t done = 0; done < bytes + kPiece; done += kPiece) {
      Slot& slot = NextSlot();
      if (done < bytes) {
        const size_t piece = std::min(kPiece, bytes - done);
        CUDA_RETURN_IF_ERROR(
            cudaMemcpyAsync(slot.data, source + done, piece, cudaMemcpyDeviceToHost, stream));
        CUDA_RETURN_IF_ERROR(cudaEventRecord(slot.event, stream));
      }
      if (previous != nullptr) {
        const size_t begin = done - kPiece;
        CUDA_RETURN_IF_ERROR(cudaEventSynchronize(previous->event));
        std::memcpy(target + begin, previous->data, std::min(kPiece, bytes - begin));
      }
      previous = &slot;
    }
    return OkStatus();
  }

 private:
  static constexpr size_t kPiece = size_t{4} << 20;
  struct Slot {
    char* data = nullptr;
    cudaEvent_t event = nullptr;
  };

  Status Prepare() {
    for (Slot& slot : slots_) {
      if (slot.event != nullptr) continue;
      void* data = slot.data;
      if (data == nullptr) CUDA_RETURN_IF_ERROR(cudaMallocHost(&data, kPiece));
      slot.data = static_cast<char*>(data);
      CUDA_RETURN_IF_ERROR(cudaEventCreateWithFlags(&slot.event, cudaEventDisableTiming));
    }
    return OkStatus();
  }

  Slot& NextSlot() {
    next_ = 1 - next_;
    return slots_[next_];
  }

  std::mutex mutex_;
  std::array<Slot, 2> slots_;
  size_t next_ = 0;
};

CudaDevice::CudaDevice(int ordinal, const cudaDeviceProp& properties)
    : Device(DeviceType::kGpu, ordinal),
      description_(StrCat(properties.name, ", compute capability ", properties.major, ".",
                          properties.minor)),
      memory_bytes_(static_cast<int64_t>(properties.totalGlobalMem)),
      processors_(properties.multiProcessorCount),
      major_(properties.major),
      allow_tf32_(properties.major >= 8 && AllowsTf32()),
      wants_one_result_(WantsOneResult()),
      staging_(std::make_unique<Staging>()) {}

// Devices live until the process ends and CUDA with them: nothing to give back.
CudaDevice::~CudaDevice() = default;

Result<std::unique_ptr<CudaDevice>> CudaDevice::Make(int ordinal,
                                                     const cudaDeviceProp& properties) {
  ASSIGN_OR_RETURN(const double fraction, MemoryFraction());
  std::unique_ptr<CudaDevice> device(new CudaDevice(ordinal, properties));
  CUDA_RETURN_IF_ERROR(cudaStreamCreateWithFlags(&device->stream_, cudaStreamNonBlocking));
  const double limit = fraction * static_cast<double>(properties.totalGlobalMem);
  void* faults = nullptr;
  CUDA_RETURN_IF_ERROR(cudaMallocHost(&faults, kIndexFaults * sizeof(IndexFault)));
  device->index_faults_ = static_cast<IndexFault*>(faults);
  std::uninitialized_fill_n(device->index_faults_, kIndexFaults, IndexFault());
  device->allocator_ = MakeCudaAllocator(ordinal, static_cast<size_t>(limit));
  return device;
}

Status CudaDevice::Activate() const {
  CUDA_RETURN_IF_ERROR(cudaSetDevice(ordinal()));
  return OkStatus();
}

Status CudaDevice::CopyFromHost(const Tensor& source, Tensor* target) {
  RETURN_IF_ERROR(CheckCopy(source, *target));
  RETURN_IF_ERROR(Activate());
  return staging_->ToDevice(source.data<char>(), target->mutable_data<char>(), source.num_bytes(),
                            stream_);
}

Status CudaDevice::CopyToHost(const Tensor& source, Tensor* target) {
  RETURN_IF_ERROR(CheckCopy(source, *target));
  RETURN_IF_ERROR(Activate());
  return staging_->ToHost(source.data<char>(), target->mutable_data<char>(), source.num_bytes(),
                          stream_);
}

Status CudaDevice::CopyWithin(const Tensor& source, Tensor* target) {
  RETURN_IF_ERROR(CheckCopy(source, *target));
  if (source.num_bytes() == 0) return OkStatus();
  RETURN_IF_ERROR(Activate());
  CUDA_RETURN_IF_ERROR(cudaMemcpyAsync(target->raw(), source.raw(), source.num_bytes(),
                                       cudaMemcpyDeviceToDevice, stream_));
  return OkStatus();
}

Status CudaDevice::Synchronize() {
  RETURN_IF_ERROR(Activate());
  CUDA_RETURN_IF_ERROR(cudaStreamSynchronize(stream_));
  std::lock_guard<std::mutex> lock(sites_mutex_);
  for (int i = 0; i < kIndexFaults; ++i) RETURN_IF_ERROR(TakeIndexFault(index_faults_ + i));
  return OkStatus();
}

Status CudaDevice::EndStep(const void* step) {
  RETURN_IF_ERROR(Activate());
  CUDA_RETURN_IF_ERROR(cudaStreamSynchronize(stream_));
  std::lock_guard<std::mutex> lock(sites_mutex_);
  IndexFault* const fault = index_fault(step);
  return fault->step == step ? TakeIndexFault(fault) : OkStatus();
}

int CudaDevice::IndexSite(const std::string& node, const std::string& name) {
  std::lock_guard<std::mutex> lock(sites_mutex_);
  const std::pair<std::string, std::string> site(node, name);
  const auto found = std::find(sites_.begin(), sites_.end(), site);
  if (found == sites_.end()) sites_.push_back(site);
  return static_cast<int>(found == sites_.end() ? sites_.size() - 1 : found - sites_.begin());
}

Status CudaDevice::TakeIndexFault(IndexFault* fault) {
  if (fault->taken == 0) return OkStatus();
  const IndexFault found = *fault;
  *fault = IndexFault();
  const auto& [node, name] = sites_[static_cast<size_t>(found.site)];
  return InvalidArgument(name, "[", found.position, "] = ", found.value,
                         " is out of range [0, ", found.limit, "), in node ", node);
}

Status CudaDevice::MakeCublas() {
  // What cuBLAS itself would take for a stream; its own cudaMalloc would not see the limit.
  const size_t bytes = size_t{major_ >= 9 ? 32u : 8u} << 20;
  void* workspace = allocator_->Allocate(bytes);
  if (workspace == nullptr) return ResourceExhausted("out of GPU memory making cuBLAS ready");
  cublasHandle_t handle = nullptr;
  CUBLAS_RETURN_IF_ERROR(cublasCreate(&handle));
  CUBLAS_RETURN_IF_ERROR(cublasSetStream(handle, stream_));
  CUBLAS_RETURN_IF_ERROR(cublasSetWorkspace(handle, workspace, bytes));
  const int mode = (allow_tf32_ ? CUBLAS_TF32_TENSOR_OP_MATH : CUBLAS_DEFAULT_MATH) |
                   CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;
  CUBLAS_RETURN_IF_ERROR(cublasSetMathMode(handle, static_cast<cublasMath_t>(mode)));
  cublas_ = handle;
  return OkStatus();
}

Result<LockedHandle<cublasContext>> CudaDevice::LockCublas() {
  RETURN_IF_ERROR(Activate());
  std::unique_lock<std::mutex> lock(cublas_mutex_);
  if (cublas_ == nullptr) RETURN_IF_ERROR(MakeCublas());
  return LockedHandle<cublasContext>{std::move(lock), cublas_};
}

Result<LockedHandle<cudnnContext>> CudaDevice::LockCudnn() {
  RETURN_IF_ERROR(Activate());
  std::unique_lock<std::mutex> lock(cudnn_mutex_);
  if (cudnn_ == nullptr) {
    cudnnHandle_t handle = nullptr;
    CUDNN_RETURN_IF_ERROR(cudnnCreate(&handle));
    CUDNN_RETURN_IF_ERROR(cudnnSetStream(handle, stream_));
    cudnn_ = handle;
  }
  return LockedHandle<cudnnContext>{std::move(lock), cudnn_};
}

}  // namespace tfbuild

extern "C" void TfbuildAddCudaDevices(tfbuild::Status* status) {
  *status = tfbuild::AddCudaDevices();
}
