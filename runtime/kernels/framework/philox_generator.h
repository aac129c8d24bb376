#pragma once

// Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC11). Compiles for the
// host and for CUDA.

#include <cstdint>

#include "kernels/framework/host_device.h"
#include "kernels/framework/vector_target.h"

namespace tfbuild {

// Four random words.
struct PhiloxWords {
  uint32_t word[4];
};

// A counter-based generator: each call encrypts the counter and steps it, so any place of the
// stream is reached by arithmetic. Value type.
class Philox {
 public:
  Philox() = default;
  TFBUILD_HOST_DEVICE Philox(uint64_t seed, uint64_t seed2)
      : high_(seed2), key_{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)} {}

  // Passes over `count` calls.
  TFBUILD_HOST_DEVICE void Skip(uint64_t count) {
    low_ += count;
    if (low_ < count) ++high_;
  }

  TFBUILD_HOST_DEVICE PhiloxWords operator()() {
    PhiloxWords x = {{static_cast<uint32_t>(low_), static_cast<uint32_t>(low_ >> 32),
                      static_cast<uint32_t>(high_), static_cast<uint32_t>(high_ >> 32)}};
    uint32_t k0 = key_[0];
    uint32_t k1 = key_[1];
    for (int round = 0; round < kRounds; ++round) {
      Round(k0, k1, &x.word[0], &x.word[1], &x.word[2], &x.word[3]);
      k0 += kKeyStep0;
      k1 += kKeyStep1;
    }
    Skip(1);
    return x;
  }

  // The words of the next kLanes calls, those of each call together; the caller's loop makes vectors
  // of them (kernels/framework/vector_target.h).
  template <int kLanes>
  TFBUILD_ALWAYS_INLINE void Block(uint32_t* words) {
    uint32_t x0[kLanes], x1[kLanes], x2[kLanes], x3[kLanes];
    for (int i = 0; i < kLanes; ++i) {
      const uint64_t low = low_ + static_cast<uint64_t>(i);
      const uint64_t high = high_ + (low < low_ ? 1 : 0);
      x0[i] = static_cast<uint32_t>(low);
      x1[i] = static_cast<uint32_t>(low >> 32);
      x2[i] = static_cast<uint32_t>(high);
      x3[i] = static_cast<uint32_t>(high >> 32);
    }
    uint32_t k0 = key_[0];
    uint32_t k1 = key_[1];
    for (int round = 0; round < kRounds; ++round) {
      for (int i = 0; i < kLanes; ++i) Round(k0, k1, &x0[i], &x1[i], &x2[i], &x3[i]);
      k0 += kKeyStep0;
      k1 += kKeyStep1;
    }
    for (int i = 0; i < kLanes; ++i) {
      words[4 * i] = x0[i];
      words[4 * i + 1] = x1[i];
      words[4 * i + 2] = x2[i];
      words[4 * i + 3] = x3[i];
    }
    Skip(kLanes);
  }

 private:
  static constexpr int kRounds = 10;
  static constexpr uint32_t kKeyStep0 = 0x9E3779B9u;
  static constexpr uint32_t kKeyStep1 = 0xBB67AE85u;

  TFBUILD_HOST_DEVICE TFBUILD_ALWAYS_INLINE static void Round(uint32_t k0, uint32_t k1,
                                                              uint32_t* x0, uint32_t* x1,
                                                              uint32_t* x2, uint32_t* x3) {
    const uint64_t a = static_cast<uint64_t>(*x0) * 0xD2511F53u;
    const uint64_t b = static_cast<uint64_t>(*x2) * 0xCD9E8D57u;
    *x0 = static_cast<uint32_t>(b >> 32) ^ *x1 ^ k0;
    *x1 = static_cast<uint32_t>(b);
    *x2 = static_cast<uint32_t>(a >> 32) ^ *x3 ^ k1;
    *x3 = static_cast<uint32_t>(a);
  }

  uint64_t low_ = 0;
  uint64_t high_ = 0;
  uint32_t key_[2] = {0, 0};
};

}  // namespace tfbuild
