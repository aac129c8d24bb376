// Products of matrices with what follows them in one call, by cuBLAS's interface for that, cublasLt.
#include <cublasLt.h>

#include <array>
#include <cstring>
#include <memory>

#include "base/c_locale.h"
#include "kernels/framework/cuda_algorithms.cuh"
#include "kernels/framework/cuda_context.cuh"
#include "kernels/framework/cuda_gemm.cuh"

namespace tfbuild {
namespace {

constexpr uint64_t kMaxWorkspace = uint64_t{32} << 20;  // what cuBLAS takes for itself on Hopper
constexpr int kMaxAlgorithms = 8;

// As CublasStatus, but that it says what cuBLAS does not do.
Status LtStatus(cublasStatus_t status, const char* call) {
  const Status same = CublasStatus(status, call);
  const bool unsupported = status == CUBLAS_STATUS_NOT_SUPPORTED ||
                           status == CUBLAS_STATUS_INVALID_VALUE ||
                           status == CUBLAS_STATUS_ARCH_MISMATCH;
  return unsupported ? Status(Code::kUnimplemented, same.message()) : same;
}
#define LT_RETURN_IF_ERROR(call) RETURN_IF_ERROR(LtStatus((call), #call))

struct Destroy {
  void operator()(cublasLtMatmulDescOpaque_t* gone) const { cublasLtMatmulDescDestroy(gone); }
  void operator()(cublasLtMatrixLayoutOpaque_t* gone) const { cublasLtMatrixLayoutDestroy(gone); }
  void operator()(cublasLtMatmulPreferenceOpaque_t* gone) const {
    cublasLtMatmulPreferenceDestroy(gone);
  }
};
template <typename T>
using Owned = std::unique_ptr<T, Destroy>;

// One product as it is given to cublasLt: in columns, so that c' = b' a'.
struct Product {
  cudaDataType data;
  Owned<cublasLtMatmulDescOpaque_t> what;
  Owned<cublasLtMatrixLayoutOpaque_t> first, second, result;
  std::array<const void*, 3> read;  // first, second, residual or result
  void* made;
  float beta;
  std::string task;  // in words for AlgorithmFile
};

struct Choice {
  cublasLtMatmulAlgo_t algorithm;
  size_t workspace;
};

Result<cudaDataType> TypeOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat: return CUDA_R_32F;
    case DType::kHalf: return CUDA_R_16F;
    case DType::kBFloat16: return CUDA_R_16BF;
    default: return Unimplemented("cublasLt adds nothing behind a product of ", DTypeName(dtype));
  }
}

cublasLtEpilogue_t LtEpilogueOf(const Epilogue& what) {
  switch (what.activation) {
    case Epilogue::Activation::kRelu:
      return what.bias ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_RELU;
    case Epilogue::Activation::kGelu:
      return what.bias ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_GELU;
    default: return what.bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
  }
}

template <typename T>
Status Set(const Product& product, cublasLtMatmulDescAttributes_t attribute, T value) {
  LT_RETURN_IF_ERROR(
      cublasLtMatmulDescSetAttribute(product.what.get(), attribute, &value, sizeof(value)));
  return OkStatus();
}

Status MakeLayout(const Product& product, int64_t rows, int64_t columns,
                  Owned<cublasLtMatrixLayoutOpaque_t>* layout) {
  cublasLtMatrixLayout_t made = nullptr;
  LT_RETURN_IF_ERROR(cublasLtMatrixLayoutCreate(&made, product.data, static_cast<uint64_t>(rows),
                                                static_cast<uint64_t>(columns), rows));
  layout->reset(made);
  return OkStatus();
}

// The largest power of two up to 256 that divides the address.
uint32_t AlignmentOf(const void* data) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(data) | 256;
  return static_cast<uint32_t>(address & (~address + 1));
}

std::string TaskOf(DType dtype, bool allow_tf32, const Gemm& gemm, const EpilogueCall& then,
                   const Product& product) {
  std::string task = StrCat("matmul ", DTypeName(dtype), allow_tf32 ? " tf32 " : " ", gemm.m, " ",
                            gemm.k, " ", gemm.n, gemm.transpose_a ? " t" : " n",
                            gemm.transpose_b ? "t" : "n");
  for (const std::string& op : then.what.fused_ops()) task += " " + op;
  for (const void* data : {product.read[0], product.read[1], product.read[2], then.bias,
                           static_cast<const void*>(product.made)}) {
    task += StrCat(" ", AlignmentOf(data));
  }
  return task;
}

Result<Product> Describe(const CudaDevice& device, DType dtype, const Gemm& gemm, const void* a,
                         const void* b, const EpilogueCall& then, void* c) {
  Product product;
  ASSIGN_OR_RETURN(product.data, TypeOf(dtype));
  const bool tf32 = dtype == DType::kFloat && device.allow_tf32();
  cublasLtMatmulDesc_t what = nullptr;
  LT_RETURN_IF_ERROR(cublasLtMatmulDescCreate(
      &what, tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F, CUDA_R_32F));
  product.what.reset(what);
  RETURN_IF_ERROR(Set<int32_t>(product, CUBLASLT_MATMUL_DESC_TRANSA,
                               gemm.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N));
  RETURN_IF_ERROR(Set<int32_t>(product, CUBLASLT_MATMUL_DESC_TRANSB,
                               gemm.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N));
  RETURN_IF_ERROR(Set<uint32_t>(product, CUBLASLT_MATMUL_DESC_EPILOGUE, LtEpilogueOf(then.what)));
  if (then.what.bias) {
    RETURN_IF_ERROR(Set(product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, then.bias));
  }
  const int64_t b_rows = gemm.transpose_b ? gemm.k : gemm.n;
  const int64_t a_rows = gemm.transpose_a ? gemm.m : gemm.k;
  RETURN_IF_ERROR(MakeLayout(product, b_rows, gemm.n + gemm.k - b_rows, &product.first));
  RETURN_IF_ERROR(MakeLayout(product, a_rows, gemm.m + gemm.k - a_rows, &product.second));
  RETURN_IF_ERROR(MakeLayout(product, gemm.n, gemm.m, &product.result));
  product.read = {b, a, then.what.residual ? then.residual : c};
  product.made = c;
  product.beta = then.what.residual ? 1.0f : 0.0f;
  product.task = TaskOf(dtype, tf32, gemm, then, product);
  return Result<Product>(std::move(product));
}

// What cublasLt's heuristic proposes, best first; none where it knows nothing.
Result<std::vector<Choice>> Propose(cublasLtHandle_t handle, const Product& product) {
  cublasLtMatmulPreference_t made = nullptr;
  LT_RETURN_IF_ERROR(cublasLtMatmulPreferenceCreate(&made));
  const Owned<cublasLtMatmulPreferenceOpaque_t> preference(made);
  const auto set = [&](cublasLtMatmulPreferenceAttributes_t attribute, auto value) {
    return LtStatus(
        cublasLtMatmulPreferenceSetAttribute(preference.get(), attribute, &value, sizeof(value)),
        "cublasLtMatmulPreferenceSetAttribute");
  };
  RETURN_IF_ERROR(set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, kMaxWorkspace));
  // Parts of a sum stay in float, as in the other products.
  const uint32_t sums = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
  RETURN_IF_ERROR(set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, sums));
  RETURN_IF_ERROR(set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, AlignmentOf(product.read[0])));
  RETURN_IF_ERROR(set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, AlignmentOf(product.read[1])));
  RETURN_IF_ERROR(set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, AlignmentOf(product.read[2])));
  RETURN_IF_ERROR(set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, AlignmentOf(product.made)));
  cublasLtMatmulHeuristicResult_t found[kMaxAlgorithms] = {};
  int count = 0;
  LT_RETURN_IF_ERROR(cublasLtMatmulAlgoGetHeuristic(
      handle, product.what.get(), product.first.get(), product.second.get(), product.result.get(),
      product.result.get(), preference.get(), kMaxAlgorithms, found, &count));
  std::vector<Choice> choices;
  for (int i = 0; i < count; ++i) {
    if (found[i].state != CUBLAS_STATUS_SUCCESS) continue;
    choices.push_back({found[i].algo, found[i].workspaceSize});
  }
  return choices;
}

Status RunChoice(OpKernelContext* context, cublasLtHandle_t handle, const Product& product,
                 const Choice& choice) {
  const float one = 1;
  ASSIGN_OR_RETURN(Tensor workspace,
                   context->AllocateTemp(DType::kUint8,
                                         Shape{static_cast<int64_t>(choice.workspace)}));
  LT_RETURN_IF_ERROR(cublasLtMatmul(
      handle, product.what.get(), &one, product.read[0], product.first.get(), product.read[1],
      product.second.get(), &product.beta, product.read[2], product.result.get(), product.made,
      product.result.get(), &choice.algorithm, workspace.raw(), choice.workspace,
      CudaDeviceOf(context)->stream()));
  return OkStatus();
}

constexpr char kDigits[] = "0123456789abcdef";

std::string TextOf(const cublasLtMatmulAlgo_t& algorithm) {
  unsigned char bytes[sizeof(algorithm)];
  std::memcpy(bytes, &algorithm, sizeof(algorithm));
  std::string text;
  for (const unsigned char byte : bytes) text += {kDigits[byte >> 4], kDigits[byte & 15]};
  return text;
}

// What an earlier program has kept, where cublasLt still takes it.
std::optional<Choice> ReadChoice(cublasLtHandle_t handle, const Product& product,
                                 const std::string& text) {
  unsigned char bytes[sizeof(cublasLtMatmulAlgo_t)];
  if (text.size() != 2 * sizeof(bytes) || text.find_first_not_of(kDigits) != std::string::npos) {
    return std::nullopt;
  }
  for (size_t i = 0; i < sizeof(bytes); ++i) {
    bytes[i] = static_cast<unsigned char>(ReadInt(text.substr(2 * i, 2).c_str(), nullptr, 16));
  }
  Choice choice{};
  std::memcpy(&choice.algorithm, bytes, sizeof(bytes));
  cublasLtMatmulHeuristicResult_t answer = {};
  const cublasStatus_t checked = cublasLtMatmulAlgoCheck(
      handle, product.what.get(), product.first.get(), product.second.get(), product.result.get(),
      product.result.get(), &choice.algorithm, &answer);
  if (checked != CUBLAS_STATUS_SUCCESS || answer.workspaceSize > kMaxWorkspace) return std::nullopt;
  choice.workspace = answer.workspaceSize;
  return choice;
}

// The fastest of the proposed ones, or the first that works where the same bits are wanted each time.
// Unimplemented where none does it.
Result<Choice> Choose(OpKernelContext* context, cublasLtHandle_t handle, const Product& product) {
  const CudaDevice& device = *CudaDeviceOf(context);
  const bool timed = !device.wants_one_result();
  if (const auto text = timed ? AlgorithmsOf(device)->Find(product.task) : std::nullopt) {
    if (const auto choice = ReadChoice(handle, product, *text)) return *choice;
  }
  ASSIGN_OR_RETURN(const std::vector<Choice> choices, Propose(handle, product));
  const auto run = [&](size_t i) { return RunChoice(context, handle, product, choices[i]); };
  if (!timed) {
    for (size_t i = 0; i < choices.size(); ++i) {
      if (run(i).code() != Code::kUnimplemented) return choices[i];
    }
  }
  ASSIGN_OR_RETURN(const Fastest fastest, FindFastest(device, timed ? choices.size() : 0, run));
  const Choice& choice = choices[fastest.index];
  if (fastest.all_tried) KeepAlgorithm(device, product.task, TextOf(choice.algorithm));
  return choice;
}

// What this process has chosen, by device and task; nothing for what cublasLt does not do.
struct Choices {
  using Key = std::pair<int, std::string>;
  static Choices& Global() {
    static Choices* choices = new Choices;
    return *choices;
  }
  std::mutex mutex;
  std::map<Key, std::optional<Choice>> all;
};

Status RunInOneCall(OpKernelContext* context, const Gemm& gemm, const Tensor& a, const Tensor& b,
                    const EpilogueCall& then, Tensor* c) {
  CudaDevice* device = CudaDeviceOf(context);
  ASSIGN_OR_RETURN(const Product product, Describe(*device, c->dtype(), gemm, a.raw(), b.raw(),
                                                   then, c->raw()));
  ASSIGN_OR_RETURN(const LockedHandle<cublasContext> blas, device->LockCublas());
  // A handle of cuBLAS is one of cublasLt as well, as its manual says.
  const auto handle = reinterpret_cast<cublasLtHandle_t>(blas.handle);
  Choices& choices = Choices::Global();
  const Choices::Key key{device->ordinal(), product.task};
  std::unique_lock<std::mutex> lock(choices.mutex);
  auto known = choices.all.find(key);
  lock.unlock();
  if (known == choices.all.end()) {
    const Result<Choice> chosen = Choose(context, handle, product);
    if (!chosen.ok() && chosen.status().code() != Code::kUnimplemented) return chosen.status();
    lock.lock();
    known = choices.all.emplace(key, chosen.ok() ? std::optional<Choice>(*chosen) : std::nullopt)
                .first;
    lock.unlock();
  }
  if (!known->second) return Unimplemented("cublasLt has no algorithm for ", product.task);
  return RunChoice(context, handle, product, *known->second);
}

}  // namespace

Status RunFusedGemm(OpKernelContext* context, const Gemm& gemm, const Tensor& a, const Tensor& b,
                    const EpilogueCall& then, Tensor* c) {
  if (c->num_elements() == 0) return OkStatus();
  if (gemm.k > 0) {
    const Status status = RunInOneCall(context, gemm, a, b, then, c);
    // A lack of memory is that of an algorithm's own.
    if (status.code() != Code::kUnimplemented && status.code() != Code::kResourceExhausted) {
      return status;
    }
  }
  RETURN_IF_ERROR(RunCudaGemm(CudaDeviceOf(context), c->dtype(), gemm, a.raw(), b.raw(), c->raw()));
  return RunEpilogue(context, then, c);
}

}  // namespace tfbuild
