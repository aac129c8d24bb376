// exp and log of floats for processors with AVX-512, which scale by powers of 2 in one instruction and
// find what is not usual of 16 numbers at once. The same operations in the same order as in
// framework/vector_math.h, so that a chain of ops in one loop gives the same bits.
#include "kernels/framework/functors.h"
#include "kernels/math/avx512_row.h"

#ifdef TFBUILD_X86
namespace tfbuild {
namespace functor {
namespace {

namespace vm = vector_math;

template <int kCount>
TFBUILD_FOR_AVX512 inline __m512 Polynomial(__m512 x, const float (&c)[kCount]) {
  __m512 y = _mm512_set1_ps(c[kCount - 1]);
#pragma GCC unroll 32
  for (int k = kCount - 2; k >= 0; --k) y = _mm512_fmadd_ps(y, x, _mm512_set1_ps(c[k]));
  return y;
}

TFBUILD_FOR_AVX512 inline __m512 ExpOf(__m512 x) {
  // Of a number and NaN the second is taken. With masks of all where GCC 12 warns of the header of
  // those without.
  const __m512 most = _mm512_set1_ps(vm::kMostExp), least = _mm512_set1_ps(vm::kLeastExp);
  x = _mm512_maskz_min_ps(0xffff, most, _mm512_maskz_max_ps(0xffff, least, x));
  const __m512 to_integer = _mm512_set1_ps(vm::kToInteger);
  const __m512 shifted = _mm512_fmadd_ps(x, _mm512_set1_ps(vm::kLog2E), to_integer);
  const __m512 n = _mm512_sub_ps(shifted, to_integer);
  const __m512 high = _mm512_fnmadd_ps(n, _mm512_set1_ps(vm::kLn2High), x);
  const __m512 r = _mm512_fnmadd_ps(n, _mm512_set1_ps(vm::kLn2Low), high);
  const __m512 tail = _mm512_fmadd_ps(_mm512_mul_ps(r, r), Polynomial(r, vm::ExpSeries().c), r);
  return _mm512_maskz_scalef_ps(0xffff, _mm512_add_ps(tail, _mm512_set1_ps(1.0f)), n);
}

TFBUILD_FOR_AVX512 inline __m512 UsualLogOf(__m512 x) {
  const __m512i root = _mm512_set1_epi32(vm::kRootOfHalf);
  const __m512i bits = _mm512_sub_epi32(_mm512_castps_si512(x), root);
  const __m512i places = _mm512_and_si512(bits, _mm512_set1_epi32(0x7fffff));
  const __m512 near_one = _mm512_castsi512_ps(_mm512_add_epi32(places, root));
  const __m512 k = _mm512_maskz_cvtepi32_ps(0xffff, _mm512_maskz_srai_epi32(0xffff, bits, 23));
  const __m512 f = _mm512_sub_ps(near_one, _mm512_set1_ps(1.0f));
  const __m512 square = _mm512_mul_ps(f, f);
  const __m512 low = _mm512_mul_ps(k, _mm512_set1_ps(vm::kLn2Low));
  const __m512 series =
      _mm512_fmadd_ps(_mm512_mul_ps(f, square), Polynomial(f, vm::LogSeries().c), low);
  const __m512 tail = _mm512_fnmadd_ps(square, _mm512_set1_ps(0.5f), series);
  return _mm512_fmadd_ps(k, _mm512_set1_ps(vm::kLn2High), _mm512_add_ps(f, tail));
}

// The rare ones of 16 numbers.
void LogOfRare(const float* x, uint32_t rare, float* y) {
  for (int i = 0; i < kAvx512Lanes; ++i) {
    if ((rare >> i & 1) != 0) y[i] = Log::ApplyRare(x[i]);
  }
}

TFBUILD_FOR_AVX512 inline __m512 LogOf(__m512 x) {
  constexpr int kRare = 0xff;  // zeros, infinities, NaN, what has lost places or is below 0
  const __mmask16 rare = _mm512_fpclass_ps_mask(x, kRare);
  const __m512 usual = UsualLogOf(x);
  if (__builtin_expect(rare == 0, 1)) return usual;
  alignas(64) float argument[kAvx512Lanes], result[kAvx512Lanes];
  _mm512_store_ps(argument, x);
  _mm512_store_ps(result, usual);
  LogOfRare(argument, rare, result);
  return _mm512_load_ps(result);
}

}  // namespace

TFBUILD_FOR_AVX512 void Exp::Avx512Row(const float* x, float* y, int64_t count) {
  tfbuild::Avx512Row<ExpOf>(x, y, count);
}
TFBUILD_FOR_AVX512 void Log::Avx512Row(const float* x, float* y, int64_t count) {
  tfbuild::Avx512Row<LogOf>(x, y, count);
}

}  // namespace functor
}  // namespace tfbuild
#endif
