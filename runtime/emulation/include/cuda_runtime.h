#pragma once

// The words of CUDA C++ that this project's kernels use. nvcc reads its own file of this name before
// the first line of each .cu; the emulation's compiler is instructed to do so, too.

#include <math.h>

#include <cstdint>
#include <cstring>
#include <utility>

#include "cuda_runtime_api.h"

#define __global__
#define __device__
#define __host__
// One array for each thread of the host that runs blocks; overwritten before each block.
#define __shared__ static thread_local

struct alignas(16) uint4 {
  unsigned x, y, z, w;
};

// Of the thread that runs at the moment.
extern uint3 threadIdx;
extern uint3 blockIdx;
extern dim3 blockDim;
extern dim3 gridDim;

namespace emulation {

// Where a thread waits, as it stands in the source.
struct Site {
  const char* file;
  int line;
};

// Returns when all threads of the block have come to this site.
void MeetBlock(Site site);
// Returns the bits that lane `source` brought, when all lanes of `mask` have come to this site.
uint64_t MeetWarp(unsigned mask, uint64_t bits, unsigned source, Site site);
// This thread's lane in its warp.
unsigned Lane();
// A place where another thread may come first.
void Yield();

template <typename T>
T Exchange(unsigned mask, T value, unsigned source, Site site) {
  static_assert(sizeof(T) <= sizeof(uint64_t), "a word at most");
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  bits = MeetWarp(mask, bits, source, site);
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

template <typename To, typename From>
To BitCast(From from) {
  static_assert(sizeof(To) == sizeof(From), "as many bits");
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

}  // namespace emulation

inline void __syncthreads(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  emulation::MeetBlock({file, line});
}

// The types that CUDA has these for: others are converted by the same rules.
#define EMULATION_WORDS(CALL) \
  CALL(int) CALL(unsigned) CALL(long) CALL(unsigned long) CALL(long long) \
  CALL(unsigned long long) CALL(float) CALL(double)
#define EMULATION_WORD(T)                                                                   \
  inline T __shfl_xor_sync(unsigned mask, T value, int lanes, int = 32,                     \
                           const char* file = __builtin_FILE(),                             \
                           int line = __builtin_LINE()) {                                   \
    const unsigned source = emulation::Lane() ^ static_cast<unsigned>(lanes);               \
    return emulation::Exchange(mask, value, source, {file, line});                          \
  }                                                                                         \
  inline T min(T a, T b) { return b < a ? b : a; }                                          \
  inline T max(T a, T b) { return a < b ? b : a; }
EMULATION_WORDS(EMULATION_WORD)
#undef EMULATION_WORD

#define EMULATION_ATOMIC(T)                     \
  inline T atomicAdd(T* address, T value) {     \
    emulation::Yield();                         \
    const T old = *address;                     \
    *address = old + value;                     \
    return old;                                 \
  }
EMULATION_ATOMIC(int)
EMULATION_ATOMIC(unsigned)
EMULATION_ATOMIC(unsigned long long)
EMULATION_ATOMIC(float)
EMULATION_ATOMIC(double)
#undef EMULATION_ATOMIC

inline int atomicCAS(int* address, int expected, int value) {
  emulation::Yield();
  const int old = *address;
  if (old == expected) *address = value;
  return old;
}

inline int atomicMax(int* address, int value) {
  emulation::Yield();
  const int old = *address;
  if (old < value) *address = value;
  return old;
}

inline unsigned long long atomicOr(unsigned long long* address, unsigned long long bits) {
  emulation::Yield();
  const unsigned long long old = *address;
  *address = old | bits;
  return old;
}

inline int atomicExch(int* address, int value) {
  emulation::Yield();
  return std::exchange(*address, value);
}

inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>((uint64_t{a} * b) >> 32);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>((static_cast<unsigned __int128>(a) * b) >> 64);
}
inline float __uint_as_float(unsigned bits) { return emulation::BitCast<float>(bits); }
inline unsigned __float_as_uint(float value) { return emulation::BitCast<unsigned>(value); }
inline double __longlong_as_double(long long bits) { return emulation::BitCast<double>(bits); }
inline long long __double_as_longlong(double value) {
  return emulation::BitCast<long long>(value);
}
