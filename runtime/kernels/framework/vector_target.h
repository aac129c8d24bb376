#pragma once

// One loop, three machine codes. A loop that is worth it is a struct with a function that holds
// plain C++, which the compiler makes vectors of:
//
//   struct Halve {
//     template <int kVectorBytes>
//     static TFBUILD_ALWAYS_INLINE void Run(const float* x, int64_t count, float* y) {
//       for (int64_t i = 0; i < count; ++i) y[i] = x[i] / 2;
//     }
//   };
//   RunVectorised<Halve>(x, count, y);
//
// It is compiled for every x86-64 processor, for those with AVX2 and for those with AVX-512; the
// last call runs the best of these. What it calls must be TFBUILD_ALWAYS_INLINE too, or it is
// compiled for every processor. Loops over integers are not compiled for AVX-512: there are many,
// and what they are for (indices, masks, images) is limited by memory. kVectorBytes is the
// size of a vector, for loops that have several at a time.

#include <atomic>
#include <type_traits>

#if defined(__x86_64__) && !defined(__CUDACC__)
#define TFBUILD_X86 1
#define TFBUILD_FOR_AVX2 __attribute__((target("avx2,fma,f16c")))
#define TFBUILD_FOR_AVX512                                                    \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,"   \
                        "prefer-vector-width=512")))
#endif
#if !defined(TFBUILD_X86)
#define TFBUILD_FOR_AVX2
#define TFBUILD_FOR_AVX512
#endif
#ifdef __CUDACC__
#define TFBUILD_UNROLL  // which it does where it can
#else
#define TFBUILD_UNROLL _Pragma("GCC unroll 32")
#endif
#define TFBUILD_ALWAYS_INLINE inline __attribute__((always_inline))
#define TFBUILD_INLINE_BODY __attribute__((always_inline))  // the same for a lambda

namespace tfbuild {

enum class VectorLevel { kEvery, kAvx2, kAvx512 };

// The level of this processor.
VectorLevel BestVectorLevel();

// The level that loops run at: the best, unless a test asked for a lower one.
extern std::atomic<VectorLevel> vector_level;

#ifdef TFBUILD_X86
template <typename Loop, typename... Args>
TFBUILD_FOR_AVX512 void RunForAvx512(Args... args) {
  Loop::template Run<64>(args...);
}

template <typename Loop, typename... Args>
TFBUILD_FOR_AVX2 void RunForAvx2(Args... args) {
  Loop::template Run<32>(args...);
}
#endif

// Calls Loop::Run(args...) in the machine code for this processor; T is what the loop is about.
template <typename Loop, typename T = float, typename... Args>
void RunVectorised(Args... args) {
#ifdef TFBUILD_X86
  const VectorLevel level = vector_level.load(std::memory_order_relaxed);
  if constexpr (!std::is_integral<T>::value) {
    if (level == VectorLevel::kAvx512) return RunForAvx512<Loop>(args...);
  }
  if (level >= VectorLevel::kAvx2) return RunForAvx2<Loop>(args...);
#endif
  Loop::template Run<16>(args...);
}

}  // namespace tfbuild
