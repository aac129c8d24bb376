#pragma once

// What tests of whole steps on GPUs share.

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "session/graph_test.h"
#include "tensor/queued_device.h"
#include "testing/random_values.h"

namespace tfbuild {
namespace testing {

inline QueuedDevice* Gpu(size_t number = 0) {
  std::vector<QueuedDevice*> gpus;
  for (Device* device : LocalDevices()) {
    if (QueuedDevice* gpu = QueuedDevice::From(device)) gpus.push_back(gpu);
  }
  return number < gpus.size() ? gpus[number] : nullptr;
}

#define SKIP_WITHOUT_GPU() \
  if (Gpu(1) == nullptr) SKIP_TEST("there are no two GPUs")

// With a block of its own for each tensor no address comes back soon, and nothing is queued again.
inline bool HasPool() {
  const char* pool = std::getenv("TFBUILD_GPU_POOL");
  return pool == nullptr || std::strcmp(pool, "0") != 0;
}

inline Tensor Numbers(const Shape& shape, uint64_t seed) {
  return MakeTensor<float>(shape, RandomIntegers(shape.num_elements(), seed, 8));
}

}  // namespace testing
}  // namespace tfbuild
