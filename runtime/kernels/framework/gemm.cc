#include "kernels/framework/gemm.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <type_traits>

#include "base/parallel.h"
#include "base/reserve.h"
#include "kernels/framework/convert.h"
#include "kernels/framework/gemm_loops.h"

namespace tfbuild {
namespace {

// Multiplications below which oneDNN's sgemm, which needs no preparation, beats its matmul.
constexpr double kSmallProduct = 1 << 19;
// Multiplications that are worth a thread in our own loop.
constexpr int64_t kLoopGrain = 1 << 16;
constexpr size_t kMaxOnednnRank = 12;

int64_t MatrixCount(const std::vector<int64_t>& batch) {
  int64_t count = 1;
  for (const int64_t dim : batch) count *= dim;
  return count;
}

double Multiplications(const MatMulSizes& sizes) {
  return static_cast<double>(sizes.m) * static_cast<double>(sizes.k) *
         static_cast<double>(sizes.n);
}

// Products of floats are added up in runs of at most so many: the error of a sum goes with the
// length of the chain in which it is made.
constexpr int64_t kMaxChain = 1536;

struct Extent {
  int64_t rows;
  int64_t columns;
};

// Description of the part, of that extent, of each of a batch of matrices that are stored whole,
// and transposed where that is said.
dnnl::memory::desc MatrixDesc(std::vector<int64_t> dims, Extent part, Extent whole,
                              bool transposed, DType dtype) {
  dims.push_back(part.rows);
  dims.push_back(part.columns);
  dnnl::memory::dims strides(dims.size());
  const size_t last = dims.size() - 1;
  strides[last] = transposed ? whole.rows : 1;
  strides[last - 1] = transposed ? 1 : whole.columns;
  int64_t stride = whole.rows * whole.columns;
  for (size_t i = last - 1; i > 0; --i) {
    strides[i - 1] = stride;
    stride *= dims[i - 1];
  }
  return dnnl::memory::desc(dims, OnednnType(dtype), strides);
}

// Calls body(a index, b index, c index) for each matrix of the batch until one fails.
template <typename Body>
Status ForEachMatrix(const MatMulSizes& sizes, const Body& body) {
  if (sizes.c_batch.empty()) return body(0, 0, 0);
  const std::vector<int64_t> a = BatchIndices(sizes.a_batch, sizes.c_batch);
  const std::vector<int64_t> b = BatchIndices(sizes.b_batch, sizes.c_batch);
  for (size_t i = 0; i < a.size(); ++i) {
    RETURN_IF_ERROR(body(a[i], b[i], static_cast<int64_t>(i)));
  }
  return OkStatus();
}

// sgemm generates its code in the first product of each kind, and where there is no memory for it
// refuses that kind from then on.
Status PrepareSgemm(const MatMulSizes& sizes, const IntraOpTeam& team) {
  static std::atomic<uint32_t> prepared{0};
  const int kind = (sizes.transpose_a ? 1 : 0) | (sizes.transpose_b ? 2 : 0) |
                   (sizes.m == 1 ? 4 : 0) | (sizes.n == 1 ? 8 : 0) | (team.size() > 1 ? 16 : 0);
  const uint32_t bit = uint32_t{1} << kind;
  if ((prepared.load(std::memory_order_relaxed) & bit) != 0) return OkStatus();
  RETURN_IF_ERROR(CheckReserve());
  prepared.fetch_or(bit, std::memory_order_relaxed);
  return OkStatus();
}

Status SmallFloatProduct(const MatMulSizes& sizes, const float* a, const float* b, float* c) {
  IntraOpTeam team(Multiplications(sizes) * static_cast<double>(sizes.batches()));
  RETURN_IF_ERROR(PrepareSgemm(sizes, team));
  return ForEachMatrix(sizes, [&](int64_t i, int64_t j, int64_t l) -> Status {
    const dnnl_status_t status = dnnl_sgemm(
        sizes.transpose_a ? 'T' : 'N', sizes.transpose_b ? 'T' : 'N', sizes.m, sizes.n, sizes.k,
        1.0f, a + i * sizes.m * sizes.k, sizes.transpose_a ? sizes.m : sizes.k,
        b + j * sizes.k * sizes.n, sizes.transpose_b ? sizes.k : sizes.n, 0.0f,
        c + l * sizes.m * sizes.n, sizes.n);
    if (status == dnnl_success) return OkStatus();
    if (status == dnnl_out_of_memory) return ResourceExhausted("oneDNN: no memory for sgemm");
    return Internal("oneDNN: sgemm failed with status ", static_cast<int>(status));
  });
}

template <typename T>
void Transpose(const T* in, int64_t rows, int64_t columns, T* out) {
  ParallelFor(columns, kLoopGrain / rows + 1, [=](int64_t begin, int64_t end) {
    for (int64_t j = begin; j < end; ++j) {
      for (int64_t i = 0; i < rows; ++i) out[j * rows + i] = in[i * columns + j];
    }
  });
}

// Products of types that oneDNN does not know; Word is T, or its unsigned twin, which may wrap.
template <typename T, typename Word>
Status LoopProduct(OpKernelContext* context, const MatMulSizes& sizes, const T* a, const T* b,
                   T* c) {
  const int64_t a_row = sizes.transpose_a ? 1 : sizes.k;
  const int64_t a_col = sizes.transpose_a ? sizes.m : 1;
  Tensor turned;
  if (sizes.transpose_b) {
    ASSIGN_OR_RETURN(turned, context->AllocateTemp(DTypeOf<T>::value, Shape{sizes.k, sizes.n}));
  }
  return ForEachMatrix(sizes, [&](int64_t i, int64_t j, int64_t l) -> Status {
    const T* right = b + j * sizes.k * sizes.n;
    if (sizes.transpose_b) {
      Transpose(right, sizes.n, sizes.k, turned.mutable_data<T>());
      right = turned.data<T>();
    }
    const Word* left = reinterpret_cast<const Word*>(a + i * sizes.m * sizes.k);
    Word* product = reinterpret_cast<Word*>(c + l * sizes.m * sizes.n);
    const int64_t grain = kLoopGrain / std::max<int64_t>(1, sizes.k * sizes.n) + 1;
    ParallelFor(sizes.m, grain, [&](int64_t begin, int64_t end) {
      std::fill_n(product + begin * sizes.n, (end - begin) * sizes.n, Word(0));
      AddProduct(ProductPart<Word>{left + begin * a_row, a_row, a_col,
                                   reinterpret_cast<const Word*>(right), sizes.n,
                                   product + begin * sizes.n, sizes.n, end - begin, sizes.k,
                                   sizes.n});
    });
    return OkStatus();
  });
}

}  // namespace

Result<MatrixProduct::Program> MatrixProduct::MakeProgram(const MatMulSizes& sizes, DType dtype,
                                                          int64_t depth, bool adds) {
  const Extent a{sizes.m, sizes.k};
  const Extent b{sizes.k, sizes.n};
  const Extent c{sizes.m, sizes.n};
  Program program;
  program.a = MatrixDesc(sizes.a_batch, {sizes.m, depth}, a, sizes.transpose_a, dtype);
  program.b = MatrixDesc(sizes.b_batch, {depth, sizes.n}, b, sizes.transpose_b, dtype);
  program.c = MatrixDesc(sizes.c_batch, c, c, false, dtype);
  dnnl::primitive_attr attr = OnednnAttr();
  if (adds) {
    dnnl::post_ops sum;
    sum.append_sum();
    attr.set_post_ops(sum);
  }
  const dnnl::matmul::primitive_desc descriptor(OnednnEngine(), program.a, program.b, program.c,
                                                attr);
  program.primitive = OnednnPrimitive(dnnl::matmul(descriptor), descriptor);
  return program;
}

Status MatrixProduct::RunOnednnMatMul(OpKernelContext* context, const MatMulSizes& sizes,
                                      DType dtype, const void* a, const void* b, void* c) {
  IntraOpTeam team(Multiplications(sizes) * static_cast<double>(sizes.batches()));
  // 16-bit results would be rounded after each run; their products are exact in float.
  const int64_t runs = dtype == DType::kFloat ? (sizes.k + kMaxChain - 1) / kMaxChain : 1;
  const int64_t chain = (sizes.k + runs - 1) / runs;
  const int64_t size = DTypeSize(dtype);
  const int64_t a_step = (sizes.transpose_a ? sizes.m : 1) * size;
  const int64_t b_step = (sizes.transpose_b ? 1 : sizes.n) * size;
  for (int64_t at = 0; at < sizes.k; at += chain) {
    const int64_t depth = std::min(chain, sizes.k - at);
    std::vector<int64_t> key = {sizes.m, sizes.k, sizes.n, depth, at > 0 ? 1 : 0};
    key.insert(key.end(), sizes.a_batch.begin(), sizes.a_batch.end());
    key.insert(key.end(), sizes.b_batch.begin(), sizes.b_batch.end());
    const auto make = [&] { return MakeProgram(sizes, dtype, depth, at > 0); };
    ASSIGN_OR_RETURN(const std::shared_ptr<const Program> program,
                     cache_.FindOrMake(team, std::move(key), make));
    RETURN_IF_ERROR(RunOnednn(
        context, program->primitive,
        {{DNNL_ARG_SRC, program->a, static_cast<const char*>(a) + at * a_step},
         {DNNL_ARG_WEIGHTS, program->b, static_cast<const char*>(b) + at * b_step},
         {DNNL_ARG_DST, program->c, c}}));
  }
  return OkStatus();
}

Status MatrixProduct::RunFloat(OpKernelContext* context, const MatMulSizes& sizes, const float* a,
                               const float* b, float* c) {
  const double all = Multiplications(sizes) * static_cast<double>(sizes.batches());
  const bool vector = sizes.c_batch.empty() && (sizes.m == 1 || sizes.n == 1);
  const bool too_many_axes = sizes.c_batch.size() + 2 > kMaxOnednnRank;
  if (vector || too_many_axes || all < kSmallProduct) {
    return SmallFloatProduct(sizes, a, b, c);
  }
  return RunOnednnMatMul(context, sizes, DType::kFloat, a, b, c);
}

template <typename T>
Status MatrixProduct::RunAsFloat(OpKernelContext* context, const MatMulSizes& sizes, const T* a,
                                 const T* b, T* c) {
  const int64_t a_count = MatrixCount(sizes.a_batch) * sizes.m * sizes.k;
  const int64_t b_count = MatrixCount(sizes.b_batch) * sizes.k * sizes.n;
  const int64_t c_count = sizes.batches() * sizes.m * sizes.n;
  ASSIGN_OR_RETURN(Tensor wide_a, context->AllocateTemp(DType::kFloat, Shape{a_count}));
  ASSIGN_OR_RETURN(Tensor wide_b, context->AllocateTemp(DType::kFloat, Shape{b_count}));
  ASSIGN_OR_RETURN(Tensor wide_c, context->AllocateTemp(DType::kFloat, Shape{c_count}));
  ConvertElements(a, a_count, wide_a.mutable_data<float>());
  ConvertElements(b, b_count, wide_b.mutable_data<float>());
  RETURN_IF_ERROR(RunFloat(context, sizes, wide_a.data<float>(), wide_b.data<float>(),
                           wide_c.mutable_data<float>()));
  ConvertElements(wide_c.data<float>(), c_count, c);
  return OkStatus();
}

template <typename T>
Status MatrixProduct::Run(OpKernelContext* context, const MatMulSizes& sizes, const T* a,
                          const T* b, T* c) {
  if (sizes.m == 0 || sizes.n == 0 || sizes.batches() == 0) return OkStatus();
  if (sizes.k == 0) {
    std::fill_n(c, sizes.batches() * sizes.m * sizes.n, T(0));
    return OkStatus();
  }
  if constexpr (std::is_same_v<T, float>) {
    return RunFloat(context, sizes, a, b, c);
  } else if constexpr (std::is_same_v<T, double>) {
    return LoopProduct<T, double>(context, sizes, a, b, c);
  } else if constexpr (std::is_integral_v<T>) {
    return LoopProduct<T, std::make_unsigned_t<T>>(context, sizes, a, b, c);
  } else {
    const bool native = OnednnIsNative(DTypeOf<T>::value) &&
                        sizes.c_batch.size() + 2 <= kMaxOnednnRank &&
                        Multiplications(sizes) >= kSmallProduct;
    if (native) return RunOnednnMatMul(context, sizes, DTypeOf<T>::value, a, b, c);
    return RunAsFloat(context, sizes, a, b, c);
  }
}

#define INSTANTIATE(T)                                                                          \
  template Status MatrixProduct::Run<T>(OpKernelContext*, const MatMulSizes&, const T*, const T*, \
                                        T*);
TFBUILD_ARITHMETIC_TYPES(INSTANTIATE)
#undef INSTANTIATE

}  // namespace tfbuild
