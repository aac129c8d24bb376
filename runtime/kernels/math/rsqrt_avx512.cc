// 1 / sqrt(x) of floats for processors that have a first guess of it: those with AVX-512.
#include "kernels/framework/functors.h"
#include "kernels/math/avx512_row.h"

#ifdef TFBUILD_X86
namespace tfbuild {
namespace functor {
namespace {

// The guess has 14 bits; two terms of the series for what it is wrong by give all of them. Of 0, of
// infinity, of what is below 0 and of NaN the guess is the answer, and the error is NaN.
TFBUILD_FOR_AVX512 inline __m512 RsqrtOf(__m512 x) {
  // With a mask of all, as GCC 12 warns of the header of the one without.
  const __m512 guess = _mm512_maskz_rsqrt14_ps(0xffff, x);
  const __m512 error =
      _mm512_fnmadd_ps(_mm512_mul_ps(x, guess), guess, _mm512_set1_ps(1.0f));
  const __m512 series =
      _mm512_fmadd_ps(error, _mm512_set1_ps(0.375f), _mm512_set1_ps(0.5f));
  const __m512 better = _mm512_fmadd_ps(_mm512_mul_ps(guess, error), series, guess);
  return _mm512_mask_mov_ps(better, _mm512_cmp_ps_mask(error, error, _CMP_UNORD_Q), guess);
}

}  // namespace

TFBUILD_FOR_AVX512 void Rsqrt::Avx512Row(const float* x, float* y, int64_t count) {
  tfbuild::Avx512Row<RsqrtOf>(x, y, count);
}

}  // namespace functor
}  // namespace tfbuild
#endif
