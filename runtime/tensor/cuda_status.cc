// What CUDA and its libraries say went wrong.
#include <cublas_v2.h>
#include <cudnn.h>

#include "tensor/cuda_device.h"

namespace tfbuild {

Status CudaStatus(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return OkStatus();
  const Code code =
      error == cudaErrorMemoryAllocation ? Code::kResourceExhausted : Code::kInternal;
  return Status(code, StrCat(call, " failed: ", cudaGetErrorString(error), " (",
                             cudaGetErrorName(error), ")"));
}

Status CublasStatus(int status, const char* call) {
  if (status == CUBLAS_STATUS_SUCCESS) return OkStatus();
  const Code code =
      status == CUBLAS_STATUS_ALLOC_FAILED ? Code::kResourceExhausted : Code::kInternal;
  return Status(code, StrCat(call, " failed: ",
                             cublasGetStatusString(static_cast<cublasStatus_t>(status))));
}

Status CudnnStatus(int status, const char* call) {
  if (status == CUDNN_STATUS_SUCCESS) return OkStatus();
  const cudnnStatus_t error = static_cast<cudnnStatus_t>(status);
  // cuDNN calls a request that it cannot fulfil a bad parameter now and then.
  const bool unsupported = status / 1000 == CUDNN_STATUS_NOT_SUPPORTED / 1000 ||
                           status / 1000 == CUDNN_STATUS_BAD_PARAM / 1000;
  return Status(unsupported ? Code::kUnimplemented : Code::kInternal,
                StrCat(call, " failed: ", cudnnGetErrorString(error)));
}

}  // namespace tfbuild
