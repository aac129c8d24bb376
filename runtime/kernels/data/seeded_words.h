#pragma once

#include <cstdint>

#include "kernels/framework/philox_generator.h"

namespace tfbuild {

// The words of a generator one by one, as TensorFlow draws them for an order.
class SeededWords {
 public:
  SeededWords(uint64_t seed, uint64_t seed2) : generator_(seed, seed2) {}
  uint32_t Next() {
    if (used_ == 4) {
      words_ = generator_();
      used_ = 0;
    }
    return words_.word[used_++];
  }

 private:
  Philox generator_;
  PhiloxWords words_{};
  int used_ = 4;
};

}  // namespace tfbuild
