#pragma once

#include <cstddef>

namespace tfbuild {

// All memory of tensors starts at a multiple of this; enough for every vector instruction.
constexpr size_t kTensorAlignment = 64;

// Where the bytes of tensors come from. Thread-safe; one per device, never destroyed while tensors
// of it live.
class Allocator {
 public:
  virtual ~Allocator() = default;
  // `bytes` bytes aligned to kTensorAlignment, or null when there are none left.
  virtual void* Allocate(size_t bytes) = 0;
  // Gives back what Allocate(bytes) returned.
  virtual void Deallocate(void* data, size_t bytes) = 0;
  // Whose Deallocate takes `data`, which Allocate has just returned: another allocator's where this
  // one only handed on what lives without it.
  virtual Allocator* OwnerOf(const void* /*data*/) { return this; }
};

// Host memory that keeps freed blocks for the next step: a training step asks for the same sizes
// again and again, and fresh pages from the kernel cost more than the arithmetic on them.
Allocator* CpuAllocator();

}  // namespace tfbuild
