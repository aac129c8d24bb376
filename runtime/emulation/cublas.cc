// Products of matrices as cuBLAS is asked for them, by three loops that add up in double.
#include "emulation/include/cublas_v2.h"

#include <algorithm>
#include <mutex>
#include <vector>

#include "emulation/device.h"
#include "emulation/elements.h"

struct cublasContext {
  cudaStream_t stream = nullptr;
};

namespace {

using emulation::Element;

Element ElementOf(cudaDataType type) {
  switch (type) {
    case CUDA_R_64F: return Element::kDouble;
    case CUDA_R_16F: return Element::kHalf;
    case CUDA_R_16BF: return Element::kBFloat16;
    default: return Element::kFloat;
  }
}

// A matrix whose columns are dense, perhaps to be read by rows.
struct Matrix {
  Element type;
  const void* data;
  int64_t leading;
  bool transposed;

  double At(int64_t first, int64_t row, int64_t column) const {
    return emulation::Read(type, data,
                           first + (transposed ? column + row * leading : row + column * leading));
  }
};

struct Product {
  int64_t m, n, k;
  double alpha, beta;
  Matrix a, b;
  Element c_type;
  void* c;
  int64_t ldc;
  int64_t a_stride, b_stride, c_stride, batches;

  void Run() const {
    std::vector<double> column(static_cast<size_t>(m));
    for (int64_t batch = 0; batch < batches; ++batch) {
      for (int64_t j = 0; j < n; ++j) {
        std::fill(column.begin(), column.end(), 0.0);
        for (int64_t p = 0; p < k; ++p) {
          const double factor = b.At(batch * b_stride, p, j);
          for (int64_t i = 0; i < m; ++i) {
            column[static_cast<size_t>(i)] += a.At(batch * a_stride, i, p) * factor;
          }
        }
        for (int64_t i = 0; i < m; ++i) {
          const int64_t at = batch * c_stride + i + j * ldc;
          const double before = beta == 0 ? 0 : beta * emulation::Read(c_type, c, at);
          emulation::Write(c_type, c, at, alpha * column[static_cast<size_t>(i)] + before);
        }
      }
    }
  }
};

double Scalar(const void* value, cublasComputeType_t type) {
  return type == CUBLAS_COMPUTE_64F ? *static_cast<const double*>(value)
                                    : *static_cast<const float*>(value);
}

}  // namespace

extern "C" {

const char* cublasGetStatusString(cublasStatus_t status) {
  return status == CUBLAS_STATUS_SUCCESS ? "success" : "an error of the emulated cuBLAS";
}

cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  *handle = new cublasContext;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetWorkspace(cublasHandle_t, void*, size_t) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t) { return CUBLAS_STATUS_SUCCESS; }

cublasStatus_t cublasGemmStridedBatchedEx_64(
    cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int64_t m, int64_t n,
    int64_t k, const void* alpha, const void* a, cudaDataType a_type, int64_t lda,
    long long a_stride, const void* b, cudaDataType b_type, int64_t ldb, long long b_stride,
    const void* beta, void* c, cudaDataType c_type, int64_t ldc, long long c_stride,
    int64_t batches, cublasComputeType_t compute, cublasGemmAlgo_t) {
  const int64_t a_rows = op_a == CUBLAS_OP_N ? m : k;
  const int64_t b_rows = op_b == CUBLAS_OP_N ? k : n;
  if (m < 0 || n < 0 || k < 0 || batches < 0 || lda < std::max<int64_t>(1, a_rows) ||
      ldb < std::max<int64_t>(1, b_rows) || ldc < std::max<int64_t>(1, m)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if ((compute == CUBLAS_COMPUTE_64F) != (c_type == CUDA_R_64F)) {
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  std::lock_guard<std::mutex> lock(emulation::TheMutex());
  const Product product{m, n, k, Scalar(alpha, compute), Scalar(beta, compute),
                        {ElementOf(a_type), a, lda, op_a == CUBLAS_OP_T},
                        {ElementOf(b_type), b, ldb, op_b == CUBLAS_OP_T},
                        ElementOf(c_type), c, ldc, a_stride, b_stride, c_stride, batches};
  emulation::Enqueue(handle->stream, [product] { product.Run(); });
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGemmEx_64(cublasHandle_t handle, cublasOperation_t op_a,
                               cublasOperation_t op_b, int64_t m, int64_t n, int64_t k,
                               const void* alpha, const void* a, cudaDataType a_type, int64_t lda,
                               const void* b, cudaDataType b_type, int64_t ldb, const void* beta,
                               void* c, cudaDataType c_type, int64_t ldc,
                               cublasComputeType_t compute, cublasGemmAlgo_t algorithm) {
  return cublasGemmStridedBatchedEx_64(handle, op_a, op_b, m, n, k, alpha, a, a_type, lda, 0, b,
                                       b_type, ldb, 0, beta, c, c_type, ldc, 0, 1, compute,
                                       algorithm);
}

}  // extern "C"
