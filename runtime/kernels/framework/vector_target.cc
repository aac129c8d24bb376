#include "kernels/framework/vector_target.h"

namespace tfbuild {

VectorLevel BestVectorLevel() {
#ifdef TFBUILD_X86
  __builtin_cpu_init();  // this may run before the compiler's own constructors
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return VectorLevel::kEvery;
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return avx512 ? VectorLevel::kAvx512 : VectorLevel::kAvx2;
#else
  return VectorLevel::kEvery;
#endif
}

std::atomic<VectorLevel> vector_level{BestVectorLevel()};

}  // namespace tfbuild
