#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "kernels/framework/op_kernel.h"
#include "tensor/shape.h"

namespace tfbuild {

// A copy of an n-dimensional block of elements: the element (i0, i1, ...) with 0 <= ik < dims[k]
// goes from `from + sum ik * from_strides[k]` to `to + sum ik * to_strides[k]`, in elements. A
// stride of 0 repeats, a negative one walks backwards. Transpose, Slice, Pad, Tile, Concat and
// their like are all such copies, on every kind of device.
struct StridedCopy {
  std::vector<int64_t> dims;
  std::vector<int64_t> from_strides;
  std::vector<int64_t> to_strides;
  int64_t from = 0;
  int64_t to = 0;

  void AddDim(int64_t size, int64_t from_stride, int64_t to_stride) {
    dims.push_back(size);
    from_strides.push_back(from_stride);
    to_strides.push_back(to_stride);
  }
  int64_t num_elements() const;
  // The same copy with as few dimensions as possible: those of size 1 dropped, neighbours merged.
  StridedCopy Collapsed() const;
};

// Distance in elements between neighbours along each dimension of a dense row-major array.
std::vector<int64_t> DenseStrides(const std::vector<int64_t>& dims);

// Does the copy between the memory of two tensors of one type. The caller has made sure that the
// copy stays inside both.
Status RunStridedCopy(OpKernelContext* context, const StridedCopy& copy, const Tensor& from,
                      Tensor* to);
// Sets all elements of `to` to the one element of `value` (both on the kernel's device).
Status RunFill(OpKernelContext* context, const Tensor& value, Tensor* to);
// Sets all bytes of `to` to zero.
Status RunZero(OpKernelContext* context, Tensor* to);

// How one kind of device moves data. Pointers are to device memory; `size` is that of an element
// in bytes (1, 2, 4 or 8); `copy` is collapsed and not empty.
struct DataMover {
  Status (*copy)(Device* device, const StridedCopy& copy, int size, const void* from, void* to);
  Status (*fill)(Device* device, int size, const void* value, int64_t count, void* to);
  Status (*zero)(Device* device, void* to, int64_t bytes);
};
// Called by the CUDA library while it is being opened; the CPU's is always there.
bool SetDataMover(DeviceType type, const DataMover& mover);

}  // namespace tfbuild
