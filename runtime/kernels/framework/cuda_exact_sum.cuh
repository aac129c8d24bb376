#pragma once

#include "kernels/framework/cuda_launch.cuh"

namespace tfbuild {

// A sum of one thread that keeps what additions round off, so that floats add up as if they were
// doubles, which most GPUs add slowly. By Knuth's two-sum (The Art of Computer Programming, 4.2.2).
template <typename C>
class ExactSum {
 public:
  __device__ void Add(C addend) {
    const C sum = sum_ + addend;
    const C added = sum - sum_;
    rest_ += (sum_ - (sum - added)) + (addend - added);
    sum_ = sum;
  }
  // What is infinite or NaN has no rest.
  __device__ C value() const { return rest_ == rest_ ? sum_ + rest_ : sum_; }

 private:
  C sum_ = 0;
  C rest_ = 0;
};

}  // namespace tfbuild
