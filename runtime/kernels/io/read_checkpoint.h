#pragma once

#include "io/bundle.h"
#include "kernels/io/checkpoint_inputs.h"

namespace tfbuild {

// Reads a tensor, or the part of one that the inputs name, out of a checkpoint. InvalidArgument where
// its type is another one.
inline Result<Tensor> ReadFromCheckpoint(const BundleReader& reader, const CheckpointInputs& inputs,
                                         size_t i, DType dtype) {
  const std::string& name = inputs.names[i];
  ASSIGN_OR_RETURN(const SliceSpec spec, inputs.Slice(i));
  ASSIGN_OR_RETURN(const BundleEntry* entry, reader.Find(name));
  if (entry->dtype != static_cast<int>(dtype)) {
    return InvalidArgument("tensor_name = ", name, "; expected dtype ", DTypeName(dtype),
                           " does not equal original dtype ", entry->dtype == 0 ? "none" :
                           DTypeName(DTypeFromNumber(entry->dtype)));
  }
  return reader.Read(name, spec);
}

}  // namespace tfbuild
