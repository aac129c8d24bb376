#pragma once

// Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC11). Compiles for the
// host and for CUDA.

#include <cstdint>

#include "kernels/framework/host_device.h"

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
    for (int round = 0; round < 10; ++round) {
      const uint64_t a = static_cast<uint64_t>(x.word[0]) * 0xD2511F53u;
      const uint64_t b = static_cast<uint64_t>(x.word[2]) * 0xCD9E8D57u;
      x = {{static_cast<uint32_t>(b >> 32) ^ x.word[1] ^ k0, static_cast<uint32_t>(b),
            static_cast<uint32_t>(a >> 32) ^ x.word[3] ^ k1, static_cast<uint32_t>(a)}};
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
    Skip(1);
    return x;
  }

 private:
  uint64_t low_ = 0;
  uint64_t high_ = 0;
  uint32_t key_[2] = {0, 0};
};

}  // namespace tfbuild
