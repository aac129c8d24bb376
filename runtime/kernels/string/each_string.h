#pragma once

#include <string>

#include "base/stop.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {

// Writes make(string) into output 0 for each string of an input; `make` returns a Result. Output
// and input have one shape.
template <typename Out, typename Make>
Status ForEachString(OpKernelContext* context, int input, const Make& make) {
  const Tensor& strings = context->input(input);
  ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, strings.shape()));
  const std::string* from = strings.data<std::string>();
  Out* to = output->mutable_data<Out>();
  for (int64_t i = 0; i < strings.num_elements(); ++i) {
    ThrowIfStopped();
    ASSIGN_OR_RETURN(to[i], make(from[i]));
  }
  return OkStatus();
}

}  // namespace tfbuild
