#include "kernels/framework/half_rows.h"

#include "kernels/framework/vector_target.h"

namespace tfbuild {
namespace {

template <typename From, typename To>
struct ConvertRowLoop {
  template <int kVectorBytes>
  static TFBUILD_ALWAYS_INLINE void Run(const From* from, int64_t count, To* to) {
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) to[i] = To(from[i]);
  }
};

}  // namespace

void WidenRow(const Half* from, int64_t count, float* to) {
  RunVectorised<ConvertRowLoop<Half, float>>(from, count, to);
}
void WidenRow(const BFloat16* from, int64_t count, float* to) {
  RunVectorised<ConvertRowLoop<BFloat16, float>>(from, count, to);
}
void NarrowRow(const float* from, int64_t count, Half* to) {
  RunVectorised<ConvertRowLoop<float, Half>>(from, count, to);
}
void NarrowRow(const float* from, int64_t count, BFloat16* to) {
  RunVectorised<ConvertRowLoop<float, BFloat16>>(from, count, to);
}

}  // namespace tfbuild
