#pragma once

#include <cstdint>

namespace tfbuild {

namespace half_internal {

inline uint32_t FloatBits(float value) {
  uint32_t bits;
  __builtin_memcpy(&bits, &value, sizeof(bits));
  return bits;
}

inline float BitsFloat(uint32_t bits) {
  float value;
  __builtin_memcpy(&value, &bits, sizeof(value));
  return value;
}

// IEEE 754 binary16 nearest to `value`, ties to even. Without a branch, here and below, so that a
// loop becomes vectors.
inline uint16_t FloatToHalf(float value) {
  const uint32_t bits = FloatBits(value);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t magnitude = bits & 0x7fffffffu;
  const uint32_t odd = (magnitude >> 13) & 1u;
  const uint32_t normal = (magnitude - 0x38000000u + 0xfffu + odd) >> 13;
  // Below 2^-14: adding 0.5 aligns the half's last place with the float's, so the addition rounds.
  const uint32_t subnormal = FloatBits(BitsFloat(magnitude) + 0.5f) - 0x3f000000u;
  const uint32_t finite = magnitude < 0x38800000u ? subnormal : normal;
  const uint32_t special = magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u;  // beyond 65504: infinite
  return static_cast<uint16_t>(sign | (magnitude >= 0x477ff000u ? special : finite));
}

inline float HalfToFloat(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
  const uint32_t magnitude = static_cast<uint32_t>(half & 0x7fffu) << 13;
  // The exponent counts from another number; the product makes subnormal numbers normal as well.
  const uint32_t number = FloatBits(BitsFloat(magnitude) * 5.192296858534828e33f);  // 2^112
  const uint32_t special = magnitude >= 0x0f800000u ? 0x7f800000u : 0u;             // Inf, NaN
  return BitsFloat(sign | special | number);
}

inline uint16_t FloatToBFloat16(float value) {
  const uint32_t bits = FloatBits(value);
  const uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  // A NaN keeps the upper half of its bits, one of which is set so that it stays a NaN.
  const uint32_t nan = (bits >> 16) | 0x40u;
  return static_cast<uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? nan : rounded);
}

}  // namespace half_internal

// 16-bit floating point numbers for storage; arithmetic happens in float and rounds at each store.
// Half is IEEE 754 binary16, BFloat16 the upper half of a binary32.
struct Half {
  uint16_t bits = 0;
  Half() = default;
  explicit Half(float value) : bits(half_internal::FloatToHalf(value)) {}
  template <typename T>
  explicit Half(T value) : Half(static_cast<float>(value)) {}
  operator float() const { return half_internal::HalfToFloat(bits); }
};

struct BFloat16 {
  uint16_t bits = 0;
  BFloat16() = default;
  explicit BFloat16(float value) : bits(half_internal::FloatToBFloat16(value)) {}
  template <typename T>
  explicit BFloat16(T value) : BFloat16(static_cast<float>(value)) {}
  operator float() const { return half_internal::BitsFloat(static_cast<uint32_t>(bits) << 16); }
};

// The type in which arithmetic on T is done.
template <typename T> struct ComputeType { using type = T; };
template <> struct ComputeType<Half> { using type = float; };
template <> struct ComputeType<BFloat16> { using type = float; };
template <typename T> using ComputeTypeOf = typename ComputeType<T>::type;

}  // namespace tfbuild
