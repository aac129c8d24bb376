#pragma once

// What every file of libtfbuild_cuda.so needs of its op's context, whichever compiler reads it.

#include "kernels/framework/op_kernel.h"
#include "tensor/cuda_device.h"

namespace tfbuild {

inline CudaDevice* CudaDeviceOf(OpKernelContext* context) {
  return static_cast<CudaDevice*>(context->device());
}

}  // namespace tfbuild
