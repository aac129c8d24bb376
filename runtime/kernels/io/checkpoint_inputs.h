#pragma once

#include <string>

#include "io/tensor_slice.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {

// The first inputs of ops that save and restore: which file, which tensors, which parts of them.
struct CheckpointInputs {
  std::string prefix;
  const std::string* names;
  const std::string* slices;  // as SliceSpec::Parse reads them; null where all are whole

  // InvalidArgument unless there is a prefix, and a name and a slice for each of `count` tensors.
  static Result<CheckpointInputs> Of(const OpKernelContext& context, size_t count) {
    ASSIGN_OR_RETURN(CheckpointInputs inputs, OfWholes(context, count));
    ASSIGN_OR_RETURN(inputs.slices, Strings(context, 2, count, "slices"));
    return inputs;
  }

  // The same of ops that know no slices.
  static Result<CheckpointInputs> OfWholes(const OpKernelContext& context, size_t count) {
    const Tensor& prefix = context.input(0);
    if (prefix.num_elements() != 1) {
      return InvalidArgument("prefix must hold one string, but its shape is ", prefix.shape());
    }
    ASSIGN_OR_RETURN(const std::string* const names, Strings(context, 1, count, "names"));
    return CheckpointInputs{prefix.data<std::string>()[0], names, nullptr};
  }

  // Of the tensor with that number; the whole of it where nothing else is said.
  Result<SliceSpec> Slice(size_t i) const {
    return slices == nullptr ? SliceSpec() : SliceSpec::Parse(slices[i]);
  }

 private:
  static Result<const std::string*> Strings(const OpKernelContext& context, int input, size_t count,
                                            const char* what) {
    const Tensor& given = context.input(input);
    if (given.num_elements() == static_cast<int64_t>(count)) return given.data<std::string>();
    return InvalidArgument("for ", count, " tensors there are ", given.num_elements(), " ", what);
  }
};

}  // namespace tfbuild
