#pragma once

#include "kernels/random/philox.h"

namespace tfbuild {

// The words of a stream one after the other, and the numbers that TensorFlow makes of them where a
// kernel draws an unknown count. Value type.
class PhiloxWordStream {
 public:
  explicit PhiloxWordStream(const Philox& generator) : generator_(generator) {}
  uint32_t Next() {
    if (next_ == 4) {
      words_ = generator_();
      next_ = 0;
    }
    return words_.word[next_++];
  }
  uint64_t Next64() {
    const uint64_t low = Next();
    return low | static_cast<uint64_t>(Next()) << 32;
  }
  // In [0, 1).
  float NextFloat() { return UniformFloat(Next()); }
  double NextDouble() {
    const uint32_t first = Next();
    return UniformDouble(first, Next());
  }
  // In [0, limit), each as likely as the others: words that would favour small numbers are passed
  // over. limit > 0.
  uint32_t Below(uint32_t limit) { return Exact(limit, [this] { return Next(); }); }
  uint64_t Below64(uint64_t limit) { return Exact(limit, [this] { return Next64(); }); }

 private:
  template <typename Int, typename Draw>
  static Int Exact(Int limit, const Draw& draw) {
    if ((limit & (limit - 1)) == 0) return draw() & (limit - 1);
    const Int passed_over = static_cast<Int>(~Int{0} % limit + 1);
    Int drawn = draw();
    while (drawn < passed_over) drawn = draw();
    return drawn % limit;
  }

  Philox generator_;
  PhiloxWords words_ = {};
  int next_ = 4;
};

}  // namespace tfbuild
