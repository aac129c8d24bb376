#pragma once

// Seen by tensor/cuda_*.cc only.

#include <memory>

#include "tensor/allocator.h"

namespace tfbuild {

// Whether tensors share a pool: unless TFBUILD_GPU_POOL=0.
bool UsesCudaPool();

// Memory of a GPU: a pool of at most `limit` bytes. With TFBUILD_GPU_POOL=0 each tensor has a block
// of the driver's, which waits for the GPU whenever one is freed: slow, and for tools that find what
// is read or written beyond a block.
std::unique_ptr<Allocator> MakeCudaAllocator(int ordinal, size_t limit);

}  // namespace tfbuild
