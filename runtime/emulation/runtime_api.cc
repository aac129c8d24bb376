// CUDA's runtime interface on emulated GPUs. A call that CUDA would refuse is refused with the same
// code; what CUDA leaves undefined ends the process.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <utility>

#include "emulation/block.h"
#include "emulation/device.h"
#include "emulation/names.h"

namespace emulation {
namespace {

constexpr unsigned kMaxThreads = 1024;
constexpr unsigned kMaxBlocks = 65535;  // in y and z

thread_local int current_gpu = 0;
thread_local cudaError_t last_error = cudaSuccess;

// What cudaMallocHost gave: beginning and bytes.
std::map<const char*, size_t>& Pinned() {
  static auto* pinned = new std::map<const char*, size_t>;
  return *pinned;
}

bool IsPinned(const void* data, size_t bytes) {
  const char* begin = static_cast<const char*>(data);
  const auto after = Pinned().upper_bound(begin);
  if (after == Pinned().begin()) return false;
  const auto block = std::prev(after);
  return begin + bytes <= block->first + block->second;
}

bool IsDevice(const void* data) {
  return std::any_of(TheGpus().begin(), TheGpus().end(),
                     [data](const auto& gpu) { return gpu->memory.Holds(data); });
}

// Whether the host has memory there. Counts and sizes lie below `kFirst`, as programs do that cannot
// be moved (Debian's Python begins at 4 MiB).
bool IsMapped(uintptr_t address) {
  constexpr uintptr_t kFirst = uintptr_t{1} << 32;
  constexpr uintptr_t kEnd = uintptr_t{1} << 47;
  if (address < kFirst || address >= kEnd) return false;
  const auto page_bytes = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  unsigned char resident;
  return mincore(reinterpret_cast<void*>(address / page_bytes * page_bytes), 1, &resident) == 0;
}

void SynchronizeGpu(const Gpu& gpu) {
  for (const auto& stream : Streams()) {
    if (stream->gpu == &gpu) RunUntil(stream.get(), stream->queued);
  }
}

bool IsLaunchable(const dim3& grid, const dim3& block) {
  const size_t threads = size_t{block.x} * block.y * block.z;
  return threads > 0 && threads <= kMaxThreads && grid.x > 0 && grid.y > 0 && grid.z > 0 &&
         grid.x < (1u << 31) && grid.y <= kMaxBlocks && grid.z <= kMaxBlocks;
}

}  // namespace

cudaError_t Note(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

Gpu* CurrentGpu() { return TheGpus()[static_cast<size_t>(current_gpu)].get(); }

cudaError_t LaunchKernel(const cudaLaunchConfig_t& config, const void* kernel,
                         std::function<void()> thread) {
  if (!IsLaunchable(config.gridDim, config.blockDim)) return Note(cudaErrorInvalidConfiguration);
  std::lock_guard<std::mutex> lock(TheMutex());
  if (config.stream->gpu != CurrentGpu()) return Note(cudaErrorInvalidValue);
  NoteKernel(kernel);
  Enqueue(config.stream,
          [grid = config.gridDim, block = config.blockDim, kernel, thread = std::move(thread)] {
            RunGrid(grid, block, kernel, thread);
          });
  return cudaSuccess;
}

void CheckWords(const void* kernel, const void* argument, size_t bytes) {
  std::lock_guard<std::mutex> lock(TheMutex());
  for (size_t i = 0; i + sizeof(uintptr_t) <= bytes; i += sizeof(uintptr_t)) {
    uintptr_t word;
    std::memcpy(&word, static_cast<const char*>(argument) + i, sizeof(word));
    const auto* address = reinterpret_cast<const void*>(word);
    if (IsDevice(address) || IsPinned(address, 1) || !IsMapped(word)) continue;
    std::fprintf(stderr, "%s was given %p, which is memory of the host\n",
                 KernelName(kernel).c_str(), address);
    std::abort();
  }
}

}  // namespace emulation

using emulation::Note;

extern "C" {

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaSuccess: return "cudaSuccess";
    case cudaErrorInvalidValue: return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation: return "cudaErrorMemoryAllocation";
    case cudaErrorInitializationError: return "cudaErrorInitializationError";
    case cudaErrorInvalidConfiguration: return "cudaErrorInvalidConfiguration";
    case cudaErrorInsufficientDriver: return "cudaErrorInsufficientDriver";
    case cudaErrorNoDevice: return "cudaErrorNoDevice";
    case cudaErrorNotReady: return "cudaErrorNotReady";
    case cudaErrorPeerAccessAlreadyEnabled: return "cudaErrorPeerAccessAlreadyEnabled";
    case cudaErrorStreamCaptureUnsupported: return "cudaErrorStreamCaptureUnsupported";
    case cudaErrorStreamCaptureInvalidated: return "cudaErrorStreamCaptureInvalidated";
    case cudaErrorStreamCaptureIsolation: return "cudaErrorStreamCaptureIsolation";
  }
  return "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) { return cudaGetErrorName(error); }

cudaError_t cudaGetLastError() { return std::exchange(emulation::last_error, cudaSuccess); }

cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int* count) {
  *count = static_cast<int>(emulation::TheGpus().size());
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int ordinal) {
  const emulation::Gpu& gpu = *emulation::TheGpus()[static_cast<size_t>(ordinal)];
  *properties = {};
  std::snprintf(properties->name, sizeof(properties->name), "an emulated GPU");
  properties->totalGlobalMem = emulation::GpuBytes();
  properties->major = 9;
  properties->multiProcessorCount = gpu.processors;
  return cudaSuccess;
}

// As CUDA's, it does nothing in the child of a fork.
cudaError_t cudaSetDevice(int ordinal) {
  static const pid_t process = getpid();
  if (getpid() != process) return Note(cudaErrorInitializationError);
  int count = 0;
  cudaGetDeviceCount(&count);
  if (ordinal < 0 || ordinal >= count) return Note(cudaErrorInvalidValue);
  emulation::current_gpu = ordinal;
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** data, size_t bytes) {
  std::lock_guard<std::mutex> lock(emulation::TheMutex());
  *data = emulation::CurrentGpu()->memory.Allocate(bytes);
  return Note(*data == nullptr ? cudaErrorMemoryAllocation : cudaSuccess);
}

// Waits for the GPU, as CUDA's does.
cudaError_t cudaFree(void* data) {
  std::lock_guard<std::mutex> lock(emulation::TheMutex());
  if (data == nullptr) return cudaSuccess;
  for (const auto& gpu : emulation::TheGpus()) {
    if (!gpu->memory.Holds(data)) continue;
    emulation::SynchronizeGpu(*gpu);
    return Note(gpu->memory.Free(data) ? cudaSuccess : cudaErrorInvalidValue);
  }
  return Note(cudaErrorInvalidValue);
}

cudaError_t cudaMallocHost(void** data, size_t bytes) {
  std::lock_guard<std::mutex> lock(emulation::TheMutex());
  *data = ::operator new(bytes);
  emulation::Pinned()[static_cast<char*>(*data)] = bytes;
  return cudaSuccess;
}

// Pinned memory is read and written when the copy's turn comes; other memory of the host at once.
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  std::lock_guard<std::mutex> lock(emulation::TheMutex());
  if (bytes == 0) return cudaSuccess;
  if (emulation::IsDevice(to) != (kind != cudaMemcpyDeviceToHost) ||
      emulation::IsDevice(from) != (kind != cudaMemcpyHostToDevice)) {
    return Note(cudaErrorInvalidValue);
  }
  emulation::Enqueue(stream, [to, from, bytes, kind] {
    std::memmove(to, from, bytes);
    if (kind == cudaMemcpyDeviceToHost) emulation::NoteCopy(to, bytes);
  });
  const void* host = kind == cudaMemcpyHostToDevice ? from : to;
  if (kind != cudaMemcpyDeviceToDevice && !emulation::IsPinned(host, bytes)) {
    emulation::RunUntil(stream, stream->queued);
  }
  return cudaSuccess;
}

// The memory of both GPUs is touched when the copy's turn comes.
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                size_t bytes, cudaStream_t stream) {
  std::lock_guard<std::mutex> lock(emulation::TheMutex());
  if (bytes == 0) return cudaSuccess;
  const auto& gpus = emulation::TheGpus();
  emulation::Gpu* const target = gpus[static_cast<size_t>(to_device)].get();
  emulation::Gpu* const source = gpus[static_cast<size_t>(from_device)].get();
  if (!target->memory.Holds(to) || !source->memory.Holds(from)) return Note(cudaErrorInvalidValue);
  if (stream->gpu != target && stream->gpu != source) return Note(cudaErrorInvalidValue);
  emulation::Gpu* const peer = stream->gpu == target ? source : target;
  emulation::Enqueue(stream, {[to, from, bytes] { std::memcpy(to, from, bytes); }, peer});
  return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  *can = device != peer;
  return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
  std::lock_guard<std::mutex> lock(emulation::TheMutex());
  static auto* enabled = new std::set<std::pair<int, int>>;
  if (peer == emulation::current_gpu) return Note(cudaErrorInvalidValue);
  const bool is_new = enabled->insert({emulation::current_gpu, peer}).second;
  return is_new ? cudaSuccess : Note(cudaErrorPeerAccessAlreadyEnabled);
}

cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  std::lock_guard<std::mutex> lock(emulation::TheMutex());
  if (bytes == 0) return cudaSuccess;
  if (!emulation::IsDevice(to)) return Note(cudaErrorInvalidValue);
  emulation::Enqueue(stream, [to, value, bytes] { emulation::Fill(to, value, bytes); });
  return cudaSuccess;
}

}  // extern "C"
