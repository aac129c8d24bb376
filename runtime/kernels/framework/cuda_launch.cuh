#pragma once

// What every .cu file needs: how a kernel is started, how its threads share the work, and how
// elements are read and written.

#include <algorithm>
#include <cstdint>
#include <limits>

#include "kernels/framework/cuda_context.cuh"
#include "tensor/half.h"

namespace tfbuild {

constexpr int kThreads = 256;  // of a block, where nothing speaks for another number

struct LaunchShape {
  dim3 grid;
  dim3 block;
};

// Blocks for a kernel that loops from FirstIndex() by IndexStep(): enough to fill the GPU.
inline LaunchShape LoopOver(const CudaDevice& device, int64_t count) {
  const int64_t wanted = (count + kThreads - 1) / kThreads;
  const int64_t most = int64_t{device.processors()} * 32;
  return {dim3(static_cast<unsigned>(std::max<int64_t>(1, std::min(wanted, most)))),
          dim3(kThreads)};
}

// Queues the kernel on the device's stream.
template <typename... Params, typename... Args>
Status Launch(CudaDevice* device, const LaunchShape& shape, void (*kernel)(Params...),
              const Args&... args) {
  RETURN_IF_ERROR(device->Activate());
  cudaLaunchConfig_t config{};
  config.gridDim = shape.grid;
  config.blockDim = shape.block;
  config.stream = device->stream();
  return CudaStatus(cudaLaunchKernelEx(&config, kernel, static_cast<Params>(args)...),
                    "starting a kernel");
}

__device__ inline int64_t FirstIndex() { return blockIdx.x * int64_t{blockDim.x} + threadIdx.x; }
__device__ inline int64_t IndexStep() { return gridDim.x * int64_t{blockDim.x}; }

constexpr int64_t kNowhere = -1;  // where a wrong index leads

// Where a kernel that checks indices reports a wrong one; the step then fails when it has ended, as
// a kernel that runs later than its op cannot return an error.
class IndexCheck {
 public:
  IndexCheck() = default;
  // Of the node's input that messages call `name`.
  IndexCheck(const OpKernelConstruction& construction, const char* name) {
    auto* device = static_cast<CudaDevice*>(construction.device);
    site_ = device->IndexSite(construction.node.name(), name);
  }

  // The same for a kernel that is queued now: the fault is that step's.
  IndexCheck In(const OpKernelContext& context) const {
    IndexCheck check = *this;
    check.step_ = StepNumber(context.step());
    check.fault_ = static_cast<CudaDevice*>(context.device())->index_fault(context.step());
    return check;
  }

  // Wrong indices are no fault of the step.
  void Ignore() { ignores_ = 1; }

  __device__ void Report(int64_t position, int64_t value, int64_t limit) const {
    if (ignores_ != 0 || atomicCAS(&fault_->taken, 0, 1) != 0) return;
    fault_->site = site_;
    fault_->step = step_;
    fault_->position = position;
    fault_->value = value;
    fault_->limit = limit;
  }

 private:
  IndexFault* fault_ = nullptr;
  int site_ = 0;  // CudaDevice::IndexSite
  int ignores_ = 0;  // not a bool: the arguments of a kernel have no gaps
  uint64_t step_ = 0;
};

// Division of what is not negative by a number that is the same for all threads: a multiplication and
// a shift, of half the width for dividends below 2^31.
struct Divider {
  Divider() = default;
  explicit Divider(int64_t divisor) : size(std::max<int64_t>(1, divisor)) {
    const uint64_t whole = static_cast<uint64_t>(size);
    while ((uint64_t{1} << shift) < whole) ++shift;
    const uint64_t excess = (uint64_t{1} << shift) - whole;
    wide = static_cast<uint64_t>((static_cast<unsigned __int128>(excess) << 64) / whole) + 1;
    if (size <= std::numeric_limits<int32_t>::max()) {
      narrow = static_cast<uint32_t>((excess << 32) / whole + 1);
    }
  }

  __device__ int64_t Quotient(int64_t dividend) const {
    if (dividend < size) return 0;
    if (dividend <= 0x7fffffff) {
      const uint32_t low = static_cast<uint32_t>(dividend);
      return (__umulhi(low, narrow) + low) >> shift;
    }
    const uint64_t all = static_cast<uint64_t>(dividend);
    return static_cast<int64_t>((__umul64hi(all, wide) + all) >> shift);
  }

  // The quotient; the dividend becomes the remainder.
  __device__ int64_t Split(int64_t* dividend) const {
    const int64_t quotient = Quotient(*dividend);
    *dividend -= quotient * size;
    return quotient;
  }

  int64_t size = 1;
  uint64_t wide = 1;
  uint32_t narrow = 1;  // unset for a size of 2^31 and more: then only `wide` is used
  uint32_t shift = 0;
};

// The value of an element in the type in which arithmetic is done. The PTX instructions instead of
// cuda_fp16.h and cuda_bf16.h, which take longer to compile than a file of kernels.
template <typename T>
__device__ inline T Widen(T value) { return value; }
__device__ inline float Widen(Half value) {
#ifdef __CUDA_ARCH__
  float wide;
  asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(value.bits));
  return wide;
#else
  return value;
#endif
}
__device__ inline float Widen(BFloat16 value) {
  return __uint_as_float(static_cast<uint32_t>(value.bits) << 16);
}

// The element nearest to `value`, ties to even.
template <typename T>
struct Narrow {
  template <typename C>
  __device__ static T From(C value) { return static_cast<T>(value); }
};
template <>
struct Narrow<Half> {
  __device__ static Half From(float value) {
#ifdef __CUDA_ARCH__
    Half narrow;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(narrow.bits) : "f"(value));
    return narrow;
#else
    return Half(value);
#endif
  }
};
template <>
struct Narrow<BFloat16> {
  __device__ static BFloat16 From(float value) {
    BFloat16 narrow;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(narrow.bits) : "f"(value));
#else
    const uint32_t bits = __float_as_uint(value);
    const bool is_nan = (bits & 0x7fffffffu) > 0x7f800000u;
    narrow.bits = static_cast<uint16_t>(is_nan ? (bits >> 16) | 0x40u
                                               : (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
#endif
    return narrow;
  }
};

// Elements that are read or written by one instruction.
template <typename T, int N>
struct alignas(sizeof(T) * N) Pack {
  T at[N];
};
template <typename T>
constexpr int kPackSize = 16 / static_cast<int>(sizeof(T));

template <int N, typename T>
__device__ inline Pack<T, N> LoadPack(const T* from) {
  return *reinterpret_cast<const Pack<T, N>*>(from);
}
template <typename T, int N>
__device__ inline void StorePack(T* to, const Pack<T, N>& pack) {
  *reinterpret_cast<Pack<T, N>*>(to) = pack;
}
// Whether packs of N elements may be read from or written to `data`.
template <int N, typename T>
bool IsAligned(const T* data) {
  return reinterpret_cast<uintptr_t>(data) % (sizeof(T) * N) == 0;
}

}  // namespace tfbuild
