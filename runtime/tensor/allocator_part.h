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
// Whether the pool keeps a block of that size for the next who asks, where it has nothing else.
bool IsKeptByPool(size_t bytes);

}  // namespace tfbuild
