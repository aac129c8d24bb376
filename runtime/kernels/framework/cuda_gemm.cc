// Products of matrices on a GPU, by cuBLAS.
#include <cublas_v2.h>

#include "kernels/framework/cuda_gemm.cuh"

namespace tfbuild {
namespace {

struct GemmTypes {
  cudaDataType data;
  cublasComputeType_t compute;
};

Result<GemmTypes> TypesFor(DType dtype) {
  switch (dtype) {
    case DType::kFloat: return GemmTypes{CUDA_R_32F, CUBLAS_COMPUTE_32F};
    case DType::kDouble: return GemmTypes{CUDA_R_64F, CUBLAS_COMPUTE_64F};
    case DType::kHalf: return GemmTypes{CUDA_R_16F, CUBLAS_COMPUTE_32F};
    case DType::kBFloat16: return GemmTypes{CUDA_R_16BF, CUBLAS_COMPUTE_32F};
    default: return Internal("no matrix product of ", DTypeName(dtype), " on a GPU");
  }
}

// A number in the type that cuBLAS computes in.
struct Scalar {
  Scalar(double value, cublasComputeType_t type) : as_double(value) {
    if (type == CUBLAS_COMPUTE_32F) as_float = static_cast<float>(value);
  }
  union {
    double as_double;
    float as_float;
  };
};

}  // namespace

Status RunCudaGemm(CudaDevice* device, DType dtype, const Gemm& gemm, const void* a, const void* b,
                   void* c) {
  if (gemm.m == 0 || gemm.n == 0 || gemm.batches == 0) return OkStatus();
  if (gemm.k == 0) {
    const size_t bytes = static_cast<size_t>(gemm.batches * gemm.m * gemm.n) *
                         static_cast<size_t>(DTypeSize(dtype));
    RETURN_IF_ERROR(device->Activate());
    CUDA_RETURN_IF_ERROR(cudaMemsetAsync(c, 0, bytes, device->stream()));
    return OkStatus();
  }
  ASSIGN_OR_RETURN(const GemmTypes types, TypesFor(dtype));
  ASSIGN_OR_RETURN(const LockedHandle<cublasContext> blas, device->LockCublas());
  const Scalar one(1, types.compute);
  const Scalar zero(0, types.compute);
  // cuBLAS thinks in columns, where a row-major matrix is its transpose: c' = b' a'.
  const cublasOperation_t op_a = gemm.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N;
  const cublasOperation_t op_b = gemm.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N;
  const int64_t lda = gemm.transpose_a ? gemm.m : gemm.k;
  const int64_t ldb = gemm.transpose_b ? gemm.k : gemm.n;
  if (gemm.batches == 1) {
    CUBLAS_RETURN_IF_ERROR(cublasGemmEx_64(blas.handle, op_b, op_a, gemm.n, gemm.m, gemm.k, &one,
                                           b, types.data, ldb, a, types.data, lda, &zero, c,
                                           types.data, gemm.n, types.compute,
                                           CUBLAS_GEMM_DEFAULT));
    return OkStatus();
  }
  CUBLAS_RETURN_IF_ERROR(cublasGemmStridedBatchedEx_64(
      blas.handle, op_b, op_a, gemm.n, gemm.m, gemm.k, &one, b, types.data, ldb, gemm.b_stride, a,
      types.data, lda, gemm.a_stride, &zero, c, types.data, gemm.n, gemm.c_stride, gemm.batches,
      types.compute, CUBLAS_GEMM_DEFAULT));
  return OkStatus();
}

}  // namespace tfbuild
