#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "kernels/framework/op_kernel.h"

namespace tfbuild {
namespace testing {

// What helpers that run a kernel by itself on a device share.

// A copy of a host tensor in the device's memory.
inline Result<Tensor> CopyTo(Device* device, const Tensor& tensor) {
  ASSIGN_OR_RETURN(Tensor copy,
                   Tensor::Allocate(device->allocator(), tensor.dtype(), tensor.shape()));
  RETURN_IF_ERROR(device->CopyFromHost(tensor, &copy));
  return copy;
}

// A copy of a tensor of the device on the host.
inline Result<Tensor> CopyBack(Device* device, const Tensor& tensor) {
  ASSIGN_OR_RETURN(Tensor copy,
                   Tensor::Allocate(CpuAllocator(), tensor.dtype(), tensor.shape()));
  RETURN_IF_ERROR(device->CopyToHost(tensor, &copy));
  return copy;
}

// Marks as an OpKernelContext wants them.
inline std::unique_ptr<bool[]> Flags(const std::vector<bool>& marks) {
  auto flags = std::make_unique<bool[]>(marks.size() + 1);
  std::copy(marks.begin(), marks.end(), flags.get());
  return flags;
}

}  // namespace testing
}  // namespace tfbuild
