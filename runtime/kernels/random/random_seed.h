#pragma once

#include <mutex>
#include <random>
#include <utility>
#include <vector>

#include "kernels/framework/op_kernel.h"
#include "kernels/random/philox.h"

namespace tfbuild {

// The random stream of one kernel: seeded from the attributes seed and seed2 (both 0: from the
// system), and moved on by each step. Thread-safe after Init.
class RandomStream {
 public:
  Status Init(const OpKernelConstruction& construction) {
    ASSIGN_OR_RETURN(const int64_t seed, construction.Attr<int64_t>("seed"));
    ASSIGN_OR_RETURN(const int64_t seed2, construction.Attr<int64_t>("seed2"));
    if (seed == 0 && seed2 == 0) {
      std::random_device device;
      const auto random64 = [&device] { return uint64_t{device()} << 32 | device(); };
      generator_ = Philox(random64(), random64());
    } else {
      generator_ = Philox(static_cast<uint64_t>(seed), static_cast<uint64_t>(seed2));
    }
    return OkStatus();
  }

  // The generator for a tensor of `count` elements; the next caller's starts behind it. As many
  // calls are set aside for each element whatever its type or distribution.
  Philox Reserve(int64_t count) { return ReserveCalls(static_cast<uint64_t>(count) * 256); }

  Philox ReserveCalls(uint64_t calls) {
    std::lock_guard<std::mutex> lock(mutex_);
    Philox reserved = generator_;
    generator_.Skip(calls);
    return reserved;
  }

 private:
  std::mutex mutex_;
  Philox generator_;
};

// The shape that a random op is asked for: a vector of dimensions, on the host.
inline Result<Shape> RandomOutputShape(const Tensor& shape) {
  if (shape.rank() != 1) {
    return InvalidArgument("shape must be a vector of {int32,int64}, got shape ", shape.shape());
  }
  ASSIGN_OR_RETURN(std::vector<int64_t> dims, shape.IntValues());
  return Shape::Make(std::move(dims));
}

// The distribution of RandomUniformInt from its bounds, on the host.
template <typename Int>
Result<UniformIntDraw<Int>> MakeUniformIntDraw(const Tensor& minval, const Tensor& maxval) {
  if (minval.rank() != 0 || maxval.rank() != 0) {
    return InvalidArgument("minval and maxval must be 0-D, got shapes ", minval.shape(), " and ",
                           maxval.shape());
  }
  const Int low = *minval.data<Int>();
  const Int high = *maxval.data<Int>();
  if (low >= high) {
    return InvalidArgument("Need minval < maxval, got ", low, " >= ", high);
  }
  return UniformIntDraw<Int>{low, high};
}

}  // namespace tfbuild
