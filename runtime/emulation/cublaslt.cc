// Products with what follows them as cublasLt is asked for them, by loops that add up in double. Of the
// algorithms that it proposes one fails, one is slow and one wants memory for sums, so that callers must
// try them; each takes only what is aligned as its caller has said, and writes over its workspace.
#include "emulation/include/cublasLt.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "emulation/device.h"
#include "emulation/elements.h"

struct cublasLtMatmulDescOpaque_t {
  cublasComputeType_t compute;
  bool transpose_a = false;
  bool transpose_b = false;
  uint32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  const void* bias = nullptr;
};

struct cublasLtMatrixLayoutOpaque_t {
  emulation::Element type;
  int64_t rows;
  int64_t columns;
  int64_t leading;
};

struct cublasLtMatmulPreferenceOpaque_t {
  std::map<int, uint64_t> values;
};

namespace {

using emulation::Element;
using emulation::Read;

// Best first, as the heuristic has it, which is wrong.
enum Algorithm { kFails, kSlow, kWorks, kNumAlgorithms };
constexpr size_t kWorkspace[kNumAlgorithms] = {0, 0, 512};
constexpr std::chrono::milliseconds kSlowness{2};

struct Product {
  cublasLtMatmulDescOpaque_t what;
  cublasLtMatrixLayoutOpaque_t a, b, c, d;

  int64_t depth() const { return what.transpose_a ? a.rows : a.columns; }
  bool is_consistent() const {
    return (what.transpose_a ? a.columns : a.rows) == d.rows &&
           (what.transpose_b ? b.rows : b.columns) == d.columns &&
           (what.transpose_b ? b.columns : b.rows) == depth() && c.rows == d.rows &&
           c.columns == d.columns && c.type == d.type &&
           ((what.epilogue & CUBLASLT_EPILOGUE_BIAS) == 0 || what.bias != nullptr);
  }

  double Follow(double sum, int64_t row) const {
    if (what.epilogue & CUBLASLT_EPILOGUE_BIAS) sum += Read(d.type, what.bias, row);
    if (what.epilogue & CUBLASLT_EPILOGUE_RELU) return sum < 0 ? 0 : sum;
    if ((what.epilogue & CUBLASLT_EPILOGUE_GELU) == 0) return sum;
    const double inner = std::sqrt(2 / std::acos(-1.0)) * (sum + 0.044715 * sum * sum * sum);
    return 0.5 * sum * (1 + std::tanh(inner));
  }

  void Run(double alpha, const void* a_data, const void* b_data, double beta, const void* c_data,
           void* d_data) const {
    for (int64_t j = 0; j < d.columns; ++j) {
      for (int64_t i = 0; i < d.rows; ++i) {
        double sum = 0;
        for (int64_t p = 0; p < depth(); ++p) {
          sum += Read(a.type, a_data, what.transpose_a ? p + i * a.leading : i + p * a.leading) *
                 Read(b.type, b_data, what.transpose_b ? j + p * b.leading : p + j * b.leading);
        }
        sum *= alpha;
        if (beta != 0) sum += beta * Read(c.type, c_data, i + j * c.leading);
        emulation::Write(d.type, d_data, i + j * d.leading, Follow(sum, i));
      }
    }
  }
};

bool IsAligned(const void* data, uint64_t bytes) {
  return reinterpret_cast<uintptr_t>(data) % bytes == 0;
}

template <typename T>
bool Take(const void* value, size_t bytes, T* to) {
  if (bytes != sizeof(T)) return false;
  std::memcpy(to, value, bytes);
  return true;
}

}  // namespace

extern "C" {

size_t cublasLtGetVersion() { return 130100; }

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* made, cublasComputeType_t compute,
                                        cudaDataType scale) {
  if (scale != CUDA_R_32F || compute == CUBLAS_COMPUTE_64F) return CUBLAS_STATUS_NOT_SUPPORTED;
  *made = new cublasLtMatmulDescOpaque_t{compute};
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t gone) {
  delete gone;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t what,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, size_t bytes) {
  bool taken = false;
  if (attribute == CUBLASLT_MATMUL_DESC_EPILOGUE) taken = Take(value, bytes, &what->epilogue);
  if (attribute == CUBLASLT_MATMUL_DESC_BIAS_POINTER) taken = Take(value, bytes, &what->bias);
  int32_t operation = CUBLAS_OP_N;
  if (attribute == CUBLASLT_MATMUL_DESC_TRANSA || attribute == CUBLASLT_MATMUL_DESC_TRANSB) {
    taken = Take(value, bytes, &operation);
    (attribute == CUBLASLT_MATMUL_DESC_TRANSA ? what->transpose_a : what->transpose_b) =
        operation == CUBLAS_OP_T;
  }
  return taken ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* made, cudaDataType type,
                                          uint64_t rows, uint64_t columns, int64_t leading) {
  if (type == CUDA_R_64F) return CUBLAS_STATUS_NOT_SUPPORTED;
  const Element element = type == CUDA_R_16F    ? Element::kHalf
                          : type == CUDA_R_16BF ? Element::kBFloat16
                                                : Element::kFloat;
  *made = new cublasLtMatrixLayoutOpaque_t{element, static_cast<int64_t>(rows),
                                           static_cast<int64_t>(columns), leading};
  return leading >= static_cast<int64_t>(rows) ? CUBLAS_STATUS_SUCCESS
                                               : CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t gone) {
  delete gone;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* made) {
  *made = new cublasLtMatmulPreferenceOpaque_t;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t gone) {
  delete gone;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void* value, size_t bytes) {
  const bool wide = attribute == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES;
  if (bytes != (wide ? sizeof(uint64_t) : sizeof(uint32_t))) return CUBLAS_STATUS_INVALID_VALUE;
  uint64_t number = 0;
  std::memcpy(&number, value, bytes);
  preference->values[attribute] = number;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(
    cublasLtHandle_t, cublasLtMatmulDesc_t what, cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
    cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d, cublasLtMatmulPreference_t preference, int room,
    cublasLtMatmulHeuristicResult_t* found, int* count) {
  *count = 0;
  if (!Product{*what, *a, *b, *c, *d}.is_consistent()) return CUBLAS_STATUS_INVALID_VALUE;
  const auto said = [&](int attribute, uint64_t if_not) {
    const auto value = preference->values.find(attribute);
    return value == preference->values.end() ? if_not : value->second;
  };
  for (uint64_t i = 0; i < kNumAlgorithms && *count < room; ++i) {
    if (kWorkspace[i] > said(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, 0)) continue;
    cublasLtMatmulHeuristicResult_t& result = found[(*count)++];
    result.algo = {{i, said(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, 256),
                    said(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, 256),
                    said(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, 256),
                    said(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, 256)}};
    result.workspaceSize = kWorkspace[i];
    result.state = CUBLAS_STATUS_SUCCESS;
  }
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoCheck(cublasLtHandle_t, cublasLtMatmulDesc_t what,
                                       cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                       cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                       const cublasLtMatmulAlgo_t* algorithm,
                                       cublasLtMatmulHeuristicResult_t* result) {
  if (!Product{*what, *a, *b, *c, *d}.is_consistent()) return CUBLAS_STATUS_INVALID_VALUE;
  if (algorithm->data[0] >= kNumAlgorithms) return CUBLAS_STATUS_NOT_SUPPORTED;
  result->algo = *algorithm;
  result->workspaceSize = kWorkspace[algorithm->data[0]];
  result->state = CUBLAS_STATUS_SUCCESS;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t what, const void* alpha,
                              const void* a, cublasLtMatrixLayout_t a_layout, const void* b,
                              cublasLtMatrixLayout_t b_layout, const void* beta, const void* c,
                              cublasLtMatrixLayout_t c_layout, void* d,
                              cublasLtMatrixLayout_t d_layout,
                              const cublasLtMatmulAlgo_t* algorithm, void* workspace, size_t bytes,
                              cudaStream_t stream) {
  const Product product{*what, *a_layout, *b_layout, *c_layout, *d_layout};
  const uint64_t number = algorithm->data[0];
  if (!product.is_consistent() || number >= kNumAlgorithms || bytes < kWorkspace[number] ||
      !IsAligned(a, algorithm->data[1]) || !IsAligned(b, algorithm->data[2]) ||
      !IsAligned(c, algorithm->data[3]) || !IsAligned(d, algorithm->data[4])) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (number == kFails) return CUBLAS_STATUS_NOT_SUPPORTED;
  const double scale = *static_cast<const float*>(alpha);
  const double kept = *static_cast<const float*>(beta);
  std::lock_guard<std::mutex> lock(emulation::TheMutex());
  emulation::Enqueue(stream, [=] {
    if (number == kSlow) std::this_thread::sleep_for(kSlowness);
    if (bytes > 0) std::memset(workspace, 0xff, bytes);
    product.Run(scale, a, b, kept, c, d);
  });
  return CUBLAS_STATUS_SUCCESS;
}

}  // extern "C"
