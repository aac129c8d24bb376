#pragma once

// The distributions drawn from Philox, in the order and with the roundings of TensorFlow, so that the
// same seeds give the same numbers. Compiles for the host and for CUDA.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/framework/host_device.h"
#include "kernels/framework/philox_generator.h"
#include "tensor/half.h"

namespace tfbuild {

// A uniform number in [0, 1) from random words: the mantissa is filled, the exponent fixed.
TFBUILD_HOST_DEVICE TFBUILD_ALWAYS_INLINE float UniformFloat(uint32_t word) {
  const uint32_t bits = 0x3f800000u | (word & 0x7fffffu);
  float value;
  memcpy(&value, &bits, sizeof(value));
  return value - 1.0f;
}

TFBUILD_HOST_DEVICE inline double UniformDouble(uint32_t word0, uint32_t word1) {
  const uint64_t bits =
      0x3ff0000000000000u | (static_cast<uint64_t>(word0 & 0xfffffu) << 32) | word1;
  double value;
  memcpy(&value, &bits, sizeof(value));
  return value - 1.0;
}

// As float, since both are exact: ten bits for half, seven for bfloat16.
TFBUILD_HOST_DEVICE TFBUILD_ALWAYS_INLINE float UniformHalf(uint32_t word) {
  return static_cast<float>(word & 0x3ffu) * (1.0f / 1024.0f);
}
TFBUILD_HOST_DEVICE TFBUILD_ALWAYS_INLINE float UniformBFloat16(uint32_t word) {
  return static_cast<float>(word & 0x7fu) * (1.0f / 128.0f);
}

// Two independent standard normal numbers from uniform bits, by Box and Muller.
TFBUILD_HOST_DEVICE inline void NormalFloats(uint32_t word0, uint32_t word1, float* first,
                                             float* second) {
  const float u = UniformFloat(word0);
  const float v = static_cast<float>(2 * 3.14159265358979323846) * UniformFloat(word1);
  const float radius = sqrtf(-2.0f * logf(u < 1.0e-7f ? 1.0e-7f : u));
  *first = sinf(v) * radius;
  *second = cosf(v) * radius;
}

TFBUILD_HOST_DEVICE inline void NormalDoubles(const PhiloxWords& words, double* first,
                                              double* second) {
  const double u = UniformDouble(words.word[0], words.word[1]);
  const double v = 2 * 3.14159265358979323846 * UniformDouble(words.word[2], words.word[3]);
  const double radius = sqrt(-2.0 * log(u < 1.0e-7 ? 1.0e-7 : u));
  *first = sin(v) * radius;
  *second = cos(v) * radius;
}

// Distributions. Each draws a group of kGroup results, as numbers of type Value that the caller
// rounds to the element type T, from a generator at the place of that group: kCallsPerGroup calls
// after the place of the group before.

template <typename T>
struct UniformDraw {
  using Value = float;
  static constexpr int kGroup = 4;
  static constexpr int kCallsPerGroup = 1;
  TFBUILD_HOST_DEVICE void operator()(Philox* generator, float* out) const {
    const PhiloxWords words = (*generator)();
    for (int i = 0; i < kGroup; ++i) out[i] = OfWord(words.word[i]);
  }
  TFBUILD_HOST_DEVICE TFBUILD_ALWAYS_INLINE static float OfWord(uint32_t word) {
    if constexpr (std::is_same_v<T, Half>) return UniformHalf(word);
    if constexpr (std::is_same_v<T, BFloat16>) return UniformBFloat16(word);
    return UniformFloat(word);
  }
};

template <>
struct UniformDraw<double> {
  using Value = double;
  static constexpr int kGroup = 2;
  static constexpr int kCallsPerGroup = 1;
  TFBUILD_HOST_DEVICE void operator()(Philox* generator, double* out) const {
    const PhiloxWords words = (*generator)();
    out[0] = UniformDouble(words.word[0], words.word[1]);
    out[1] = UniformDouble(words.word[2], words.word[3]);
  }
};

template <typename T>
struct NormalDraw {
  using Value = float;
  static constexpr int kGroup = 4;
  static constexpr int kCallsPerGroup = 1;
  TFBUILD_HOST_DEVICE void operator()(Philox* generator, float* out) const {
    const PhiloxWords words = (*generator)();
    NormalFloats(words.word[0], words.word[1], &out[0], &out[1]);
    NormalFloats(words.word[2], words.word[3], &out[2], &out[3]);
  }
};

template <>
struct NormalDraw<double> {
  using Value = double;
  static constexpr int kGroup = 2;
  static constexpr int kCallsPerGroup = 1;
  TFBUILD_HOST_DEVICE void operator()(Philox* generator, double* out) const {
    NormalDoubles((*generator)(), &out[0], &out[1]);
  }
};

// Normal numbers beyond this many standard deviations are drawn again.
constexpr double kTruncation = 2.0;
// Words set aside for each truncated number, since nobody knows how many it takes.
constexpr int kWordsPerTruncated = 256;

template <typename T>
struct TruncatedNormalDraw {
  using Value = float;
  static constexpr int kGroup = 4;
  static constexpr int kCallsPerGroup = kGroup * kWordsPerTruncated / 4;
  TFBUILD_HOST_DEVICE void operator()(Philox* generator, float* out) const {
    int filled = 0;
    while (true) {
      const PhiloxWords words = (*generator)();
      for (int i = 0; i < 4; i += 2) {
        float pair[2];
        NormalFloats(words.word[i], words.word[i + 1], &pair[0], &pair[1]);
        for (int j = 0; j < 2; ++j) {
          if (fabsf(pair[j]) >= static_cast<float>(kTruncation)) continue;
          out[filled++] = pair[j];
          if (filled == kGroup) return;
        }
      }
    }
  }
};

template <>
struct TruncatedNormalDraw<double> {
  using Value = double;
  static constexpr int kGroup = 2;
  static constexpr int kCallsPerGroup = kGroup * kWordsPerTruncated / 4;
  TFBUILD_HOST_DEVICE void operator()(Philox* generator, double* out) const {
    int filled = 0;
    while (true) {
      double pair[2];
      NormalDoubles((*generator)(), &pair[0], &pair[1]);
      for (int j = 0; j < 2; ++j) {
        if (fabs(pair[j]) >= kTruncation) continue;
        out[filled++] = pair[j];
        if (filled == kGroup) return;
      }
    }
  }
};

// Integers in [low, high), by remainder; low < high.
template <typename Int>
struct UniformIntDraw;

template <>
struct UniformIntDraw<int32_t> {
  using Value = int32_t;
  static constexpr int kGroup = 4;
  static constexpr int kCallsPerGroup = 1;
  int32_t low;
  int32_t high;
  TFBUILD_HOST_DEVICE void operator()(Philox* generator, int32_t* out) const {
    const PhiloxWords words = (*generator)();
    const uint32_t range = static_cast<uint32_t>(high) - static_cast<uint32_t>(low);
    for (int i = 0; i < kGroup; ++i) {
      out[i] = static_cast<int32_t>(static_cast<uint32_t>(low) + words.word[i] % range);
    }
  }
};

template <>
struct UniformIntDraw<int64_t> {
  using Value = int64_t;
  static constexpr int kGroup = 2;
  static constexpr int kCallsPerGroup = 1;
  int64_t low;
  int64_t high;
  TFBUILD_HOST_DEVICE void operator()(Philox* generator, int64_t* out) const {
    const PhiloxWords words = (*generator)();
    const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
    for (int i = 0; i < kGroup; ++i) {
      const uint64_t bits =
          words.word[2 * i] | static_cast<uint64_t>(words.word[2 * i + 1]) << 32;
      out[i] = static_cast<int64_t>(static_cast<uint64_t>(low) + bits % range);
    }
  }
};

}  // namespace tfbuild
