#pragma once

#include <string>

#include "io/tensor_slice.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {

// The first inputs of SaveV2 and RestoreV2: which file, which tensors, which parts of them.
struct CheckpointInputs {
  std::string prefix;
  const std::string* names;
  const std::string* slices;  // as SliceSpec::Parse reads them

  // InvalidArgument unless there is a prefix, and a name and a slice for each of `count` tensors.
  static Result<CheckpointInputs> Of(const OpKernelContext& context, size_t count) {
    const Tensor& prefix = context.input(0);
    const Tensor& names = context.input(1);
    const Tensor& slices = context.input(2);
    if (prefix.num_elements() != 1) {
      return InvalidArgument("prefix must hold one string, but its shape is ", prefix.shape());
    }
    const int64_t expected = static_cast<int64_t>(count);
    if (names.num_elements() != expected || slices.num_elements() != expected) {
      return InvalidArgument("for ", count, " tensors there are ", names.num_elements(),
                             " names and ", slices.num_elements(), " slices");
    }
    return CheckpointInputs{prefix.data<std::string>()[0], names.data<std::string>(),
                            slices.data<std::string>()};
  }
};

}  // namespace tfbuild
