#pragma once

#include "tensor/allocator.h"

namespace tfbuild {

// An allocator that hands on memory of another one, for which it is counted.
class AllocatorPart : public Allocator {
 public:
  virtual Allocator* whole() = 0;
};

// Gives blocks that CpuAllocator keeps for later requests back to the system.
void ReleaseUnusedCpuMemory();

}  // namespace tfbuild
