#pragma once

// Loops that are compiled a second time for processors with wider vectors. The rest of the program
// runs on every x86-64 processor.
#if defined(__x86_64__) && !defined(__CUDACC__)
#define TFBUILD_X86 1
#define TFBUILD_FOR_AVX2 __attribute__((target("avx2")))
#else
#define TFBUILD_FOR_AVX2
#endif
// For the body of such a loop, which must be part of both.
#define TFBUILD_ALWAYS_INLINE inline __attribute__((always_inline))

namespace tfbuild {

// Whether this processor runs what is marked TFBUILD_FOR_AVX2 (and F16C, which came before).
inline bool HasAvx2() {
#ifdef TFBUILD_X86
  static const bool has = __builtin_cpu_supports("avx2") != 0;
  return has;
#else
  return false;
#endif
}

}  // namespace tfbuild
