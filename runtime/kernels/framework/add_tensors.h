#pragma once

#include "kernels/framework/op_kernel.h"

namespace tfbuild {

// sum = x + y, which have one type and one shape, in the memory of the kernel's device.
// InvalidArgument for a type that the device adds no numbers of.
Status AddTensors(OpKernelContext* context, const Tensor& x, const Tensor& y, Tensor* sum);

// How one kind of device adds.
using TensorAdder = Status (*)(Device* device, const Tensor& x, const Tensor& y, Tensor* sum);
// Called by the CUDA library while it is being opened; the CPU's is always there.
bool SetTensorAdder(DeviceType type, TensorAdder adder);

}  // namespace tfbuild
