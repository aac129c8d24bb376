#include "tensor/cuda_device.h"

#include <cublas_v2.h>
#include <cudnn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "base/c_locale.h"
#include "tensor/cuda_allocator.h"

namespace tfbuild {
namespace {

constexpr double kDefaultMemoryFraction = 0.95;

// The share of a GPU's memory that tensors may take.
Result<double> MemoryFraction() {
  const char* text = std::getenv("TFBUILD_GPU_MEMORY_FRACTION");
  if (text == nullptr || *text == '\0') return kDefaultMemoryFraction;
  const char* end = nullptr;
  const double fraction = ReadDouble(text, &end);
  if (*end != '\0' || !(fraction > 0 && fraction <= 1)) {
    return InvalidArgument("TFBUILD_GPU_MEMORY_FRACTION must be a number above 0 and at most 1, "
                           "not '", text, "'");
  }
  return fraction;
}

// Whether an environment variable is set to this word.
bool IsSet(const char* variable, const char* word) {
  const char* text = std::getenv(variable);
  return text != nullptr && std::strcmp(text, word) == 0;
}

// As in TensorFlow, unless it is switched off.
bool AllowsTf32() { return !IsSet("TFBUILD_ALLOW_TF32", "0"); }

// TensorFlow's name and words.
bool WantsOneResult() {
  const char* text = std::getenv("TF_DETERMINISTIC_OPS");
  return text != nullptr && (text[0] == '1' || text[0] == 't' || text[0] == 'T');
}

// Where each launch is waited for, one by one, nothing may be kept for later.
bool AllowsCaptures() {
  return !IsSet("TFBUILD_CUDA_GRAPHS", "0") && !IsSet("CUDA_LAUNCH_BLOCKING", "1");
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

Result<CudaDevice*> AddCudaDevice(int ordinal) {
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
  CudaDevice* const added = device.get();
  AddDevice(std::move(device));
  return added;
}

Status AddCudaDevices() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess || count == 0) return DescribeNoDevices(error);
  std::vector<std::string> refused;
  std::vector<CudaDevice*> gpus;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    const Result<CudaDevice*> added = AddCudaDevice(ordinal);
    if (added.ok()) gpus.push_back(*added);
    if (!added.ok()) refused.push_back(added.status().message());
  }
  for (const CudaDevice* gpu : gpus) {
    for (const CudaDevice* peer : gpus) {
      if (peer != gpu) RETURN_IF_ERROR(gpu->ReachPeer(peer->ordinal()));
    }
  }
  if (!gpus.empty()) return OkStatus();
  return FailedPrecondition(StrJoin(refused, "; "));
}

}  // namespace

CudaDevice::CudaDevice(int ordinal, const cudaDeviceProp& properties)
    : QueuedDevice(DeviceType::kGpu, ordinal),
      description_(StrCat(properties.name, ", compute capability ", properties.major, ".",
                          properties.minor)),
      memory_bytes_(static_cast<int64_t>(properties.totalGlobalMem)),
      processors_(properties.multiProcessorCount),
      major_(properties.major),
      allow_tf32_(properties.major >= 8 && AllowsTf32()),
      wants_one_result_(WantsOneResult()),
      waits_for_steps_(IsSet("TFBUILD_GPU_WAIT", "1")),
      captures_allowed_(AllowsCaptures()),
      events_(ordinal) {}

// Devices live until the process ends and CUDA with them: nothing to give back.
CudaDevice::~CudaDevice() = default;

Result<std::unique_ptr<CudaDevice>> CudaDevice::Make(int ordinal,
                                                     const cudaDeviceProp& properties) {
  ASSIGN_OR_RETURN(const double fraction, MemoryFraction());
  std::unique_ptr<CudaDevice> device(new CudaDevice(ordinal, properties));
  for (cudaStream_t* stream : {&device->stream_, &device->from_host_, &device->to_host_,
                               &device->from_peers_}) {
    CUDA_RETURN_IF_ERROR(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
  }
  const double limit = fraction * static_cast<double>(properties.totalGlobalMem);
  void* faults = nullptr;
  CUDA_RETURN_IF_ERROR(cudaMallocHost(&faults, kIndexFaults * sizeof(IndexFault)));
  device->index_faults_ = static_cast<IndexFault*>(faults);
  std::uninitialized_fill_n(device->index_faults_, kIndexFaults, IndexFault());
  device->allocator_ = MakeCudaAllocator(ordinal, static_cast<size_t>(limit));
  CudaDevice* const owner = device.get();
  device->arrivals_ = std::make_unique<CudaArrivals>(owner->allocator_.get(), [owner] {
    return CudaMoment::Record(&owner->events_, owner->stream_);
  });
  return device;
}

Status CudaDevice::Activate() const {
  if (is_forked_) {
    return FailedPrecondition("this process is the child of a fork, and CUDA works only in its "
                              "parent, which has used ", name(), " before: start it otherwise "
                              "(multiprocessing.set_start_method('spawn')), or make a session in "
                              "it, which computes on the CPU");
  }
  CUDA_RETURN_IF_ERROR(cudaSetDevice(ordinal()));
  return OkStatus();
}

Status CudaDevice::Synchronize() {
  RETURN_IF_ERROR(RefuseInCapture("waiting for the GPU"));
  RETURN_IF_ERROR(WaitForKernels());
  std::lock_guard<std::mutex> lock(sites_mutex_);
  checking_.clear();
  const auto expected = std::exchange(expected_faults_, {});
  for (const auto& [step, fault] : expected) RETURN_IF_ERROR(TakeIndexFault(fault.get()));
  for (int i = 0; i < kIndexFaults; ++i) RETURN_IF_ERROR(TakeIndexFault(index_faults_ + i));
  return OkStatus();
}

Status CudaDevice::WaitForKernels() {
  RETURN_IF_ERROR(Activate());
  const cudaError_t error = cudaStreamSynchronize(stream_);
  if (error == cudaSuccess) return OkStatus();
  return Status(Code::kInternal,
                StrCat(CudaStatus(error, "a kernel").message(),
                       "; with CUDA_LAUNCH_BLOCKING=1 the error names its node"));
}

// Only what its kernels have found themselves must be known when a step ends; who needs its results
// waits for them. With TFBUILD_GPU_WAIT=1 each step is waited for, so that it can be timed.
Status CudaDevice::EndStep(const void* step) {
  {
    std::lock_guard<std::mutex> lock(sites_mutex_);
    if (checking_.erase(step) == 0 && !waits_for_steps_) return OkStatus();
  }
  const Status waited = WaitForKernels();
  std::lock_guard<std::mutex> lock(sites_mutex_);
  IndexFault* const fault = SlotOf(step);
  Status found = fault->step == StepNumber(step) ? TakeIndexFault(fault) : OkStatus();
  const auto [first, last] = expected_faults_.equal_range(step);
  for (auto expected = first; expected != last; ++expected) {
    const Status captured = TakeIndexFault(expected->second.get());
    if (found.ok()) found = captured;
  }
  // From here on the work may be queued for another step.
  expected_faults_.erase(first, last);
  return waited.ok() ? found : waited;
}

IndexFault* CudaDevice::index_fault(const void* step) {
  if (CudaCapture* const capture = CaptureOfThisThread()) {
    Result<std::shared_ptr<IndexFault>> own = capture->fault;
    if (capture->fault == nullptr) own = NewFault();
    if (own.ok()) return (capture->fault = *own).get();
    capture->refused = own.status();
  }
  std::lock_guard<std::mutex> lock(sites_mutex_);
  checking_.insert(step);
  return SlotOf(step);
}

Result<std::shared_ptr<IndexFault>> CudaDevice::NewFault() {
  IndexFault* fault = nullptr;
  {
    std::lock_guard<std::mutex> lock(faults_mutex_);
    if (!free_faults_.empty()) {
      fault = free_faults_.back();
      free_faults_.pop_back();
    }
  }
  if (fault == nullptr) {
    void* memory = nullptr;
    CUDA_RETURN_IF_ERROR(cudaMallocHost(&memory, sizeof(IndexFault)));
    fault = static_cast<IndexFault*>(memory);
  }
  *fault = IndexFault();
  return std::shared_ptr<IndexFault>(fault, [this](IndexFault* free) {
    std::lock_guard<std::mutex> lock(faults_mutex_);
    free_faults_.push_back(free);
  });
}

void CudaDevice::ExpectFault(const void* step, std::shared_ptr<IndexFault> fault) {
  std::lock_guard<std::mutex> lock(sites_mutex_);
  checking_.insert(step);
  expected_faults_.emplace(step, std::move(fault));
}

int CudaDevice::IndexSite(const std::string& node, const std::string& name) {
  std::lock_guard<std::mutex> lock(sites_mutex_);
  const std::pair<std::string, std::string> site(node, name);
  const auto number = std::find(sites_.begin(), sites_.end(), site) - sites_.begin();
  if (number == static_cast<std::ptrdiff_t>(sites_.size())) sites_.push_back(site);
  return static_cast<int>(number);
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
  cublas_workspace_bytes_ = size_t{major_ >= 9 ? 32u : 8u} << 20;
  cublas_workspace_ = allocator_->Allocate(cublas_workspace_bytes_);
  if (cublas_workspace_ == nullptr) {
    return ResourceExhausted("out of GPU memory making cuBLAS ready");
  }
  cublasHandle_t handle = nullptr;
  CUBLAS_RETURN_IF_ERROR(cublasCreate(&handle));
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
  const cudaStream_t wanted = stream();
  if (cublas_stream_ != wanted) {
    cublas_stream_ = nullptr;
    CUBLAS_RETURN_IF_ERROR(cublasSetStream(cublas_, wanted));
    // A new stream takes the workspace away.
    CUBLAS_RETURN_IF_ERROR(
        cublasSetWorkspace(cublas_, cublas_workspace_, cublas_workspace_bytes_));
    cublas_stream_ = wanted;
  }
  return LockedHandle<cublasContext>{std::move(lock), cublas_};
}

Result<LockedHandle<cudnnContext>> CudaDevice::LockCudnn() {
  RETURN_IF_ERROR(Activate());
  std::unique_lock<std::mutex> lock(cudnn_mutex_);
  if (cudnn_ == nullptr) {
    cudnnHandle_t handle = nullptr;
    CUDNN_RETURN_IF_ERROR(cudnnCreate(&handle));
    cudnn_ = handle;
  }
  const cudaStream_t wanted = stream();
  if (cudnn_stream_ != wanted) {
    cudnn_stream_ = nullptr;
    CUDNN_RETURN_IF_ERROR(cudnnSetStream(cudnn_, wanted));
    cudnn_stream_ = wanted;
  }
  return LockedHandle<cudnnContext>{std::move(lock), cudnn_};
}

}  // namespace tfbuild

extern "C" void TfbuildAddCudaDevices(tfbuild::Status* status) {
  *status = tfbuild::AddCudaDevices();
}
