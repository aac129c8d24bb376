#pragma once

#include "kernels/framework/epilogue.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {

// An epilogue and where its arguments are; null where it has none.
struct EpilogueCall {
  Epilogue what;
  const void* bias = nullptr;
  const void* residual = nullptr;
  int64_t channels = 0;
  int64_t area = 1;  // elements side by side of one channel: more than one where channels come first
};

// The arguments of a kernel whose inputs from 2 on they are, for a result of that shape, which has its
// channels along the axis. InvalidArgument where a shape does not fit.
Result<EpilogueCall> EpilogueOf(OpKernelContext* context, const Epilogue& epilogue,
                                const Shape& result, int channels_axis);

// The same by a kernel of its own, over a result in memory: where the library does not do it.
Status RunEpilogue(OpKernelContext* context, const EpilogueCall& call, Tensor* result);

}  // namespace tfbuild
