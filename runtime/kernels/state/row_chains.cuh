#pragma once

// Indices that may name a row several times, on a GPU: the positions that name one row are a chain,
// and one thread for each element of the row goes along it. So no two threads write one element, and
// whatever an update does need not be atomic.

#include <algorithm>

#include "kernels/framework/cuda_launch.cuh"

namespace tfbuild {

constexpr int kEndOfChain = -1;
constexpr int kOutside = -1;

struct RowChains {
  int* heads;  // of each row: a position that names it
  int* nexts;  // of each position: the next one
  int* rows;   // of each position: the row that it names, or kOutside

  // The row whose chain begins at position i, or kOutside.
  __device__ int64_t RowOfHead(int i) const {
    const int row = rows[i];
    return row != kOutside && heads[row] == i ? row : kOutside;
  }

  // Calls body(position) for the chain that begins at `first`, in the order of the positions. Chains
  // are short: of many the order is found by as many looks at all of them.
  template <typename Body>
  __device__ void ForEachInOrder(int first, const Body& body) const {
    for (int last = kEndOfChain;;) {
      int found = kEndOfChain;
      for (int i = first; i != kEndOfChain; i = nexts[i]) {
        if (i > last && (found == kEndOfChain || i < found)) found = i;
      }
      if (found == kEndOfChain) return;
      body(found);
      last = found;
    }
  }
  // The same in whatever order the threads came that made the chain.
  template <typename Body>
  __device__ void ForEach(int first, const Body& body) const {
    for (int i = first; i != kEndOfChain; i = nexts[i]) body(i);
  }
};

template <typename Index>
__global__ void LinkRowsKernel(int64_t count, int64_t rows, const Index* indices, RowChains chains,
                               IndexCheck check) {
  for (int64_t i = FirstIndex(); i < count; i += IndexStep()) {
    const int64_t row = static_cast<int64_t>(indices[i]);
    const bool valid = row >= 0 && row < rows;
    chains.rows[i] = valid ? static_cast<int>(row) : kOutside;
    if (valid) {
      chains.nexts[i] = atomicExch(chains.heads + row, static_cast<int>(i));
    } else {
      check.Report(i, row, rows);
    }
  }
}

// The chains of `indices`, which lie in `memory`.
template <typename Index>
Result<RowChains> LinkRows(OpKernelContext* context, const Tensor& indices, int64_t rows,
                           const IndexCheck& check, Tensor* memory) {
  const int64_t count = indices.num_elements();
  if (std::max(count, rows) > std::numeric_limits<int32_t>::max()) {
    return Unimplemented("updates of more than 2^31 rows on a GPU");
  }
  ASSIGN_OR_RETURN(*memory, context->AllocateTemp(DType::kInt32, Shape{rows + 2 * count}));
  int* heads = memory->mutable_data<int32_t>();
  CudaDevice* device = CudaDeviceOf(context);
  RETURN_IF_ERROR(device->Activate());
  CUDA_RETURN_IF_ERROR(cudaMemsetAsync(heads, 0xff, static_cast<size_t>(rows) * sizeof(int),
                                       device->stream()));  // the end of each chain
  const RowChains chains{heads, heads + rows, heads + rows + count};
  RETURN_IF_ERROR(Launch(device, LoopOver(*device, count), LinkRowsKernel<Index>, count, rows,
                         indices.data<Index>(), chains, check.In(*context)));
  return chains;
}

}  // namespace tfbuild
