#pragma once

#include "kernels/framework/cuda_epilogue.cuh"
#include "kernels/framework/matmul_sizes.h"
#include "tensor/cuda_device.h"
#include "tensor/dtype.h"

namespace tfbuild {

// One product of row-major matrices, or several of the same sizes at even distances.
struct Gemm {
  int64_t m = 0;
  int64_t k = 0;
  int64_t n = 0;
  bool transpose_a = false;  // a is stored k x m
  bool transpose_b = false;  // b is stored n x k
  int64_t batches = 1;
  int64_t a_stride = 0;  // elements between one matrix and the next
  int64_t b_stride = 0;
  int64_t c_stride = 0;
};

// c = op(a) op(b) by cuBLAS, for floating types; half and bfloat16 are added up in float.
Status RunCudaGemm(CudaDevice* device, DType dtype, const Gemm& gemm, const void* a, const void* b,
                   void* c);

// One product and what follows it, for float, half and bfloat16: in one call of cublasLt, by the
// algorithm that was the fastest for these sizes, else by two kernels.
Status RunFusedGemm(OpKernelContext* context, const Gemm& gemm, const Tensor& a, const Tensor& b,
                    const EpilogueCall& then, Tensor* c);

}  // namespace tfbuild
