#pragma once

#include "kernels/framework/op_kernel.h"

namespace tfbuild {

// x + y in the memory of the kernel's device. InvalidArgument where their types or shapes differ, or
// have no sum there.
Result<Tensor> AddTensors(OpKernelContext* context, const Tensor& x, const Tensor& y);

// How a GPU adds what has one type and one shape; `sum` has them too.
using TensorAdder = Status (*)(Device* device, const Tensor& x, const Tensor& y, Tensor* sum);
// Called by the CUDA library while it is being opened.
bool SetGpuAdder(TensorAdder adder);

}  // namespace tfbuild
