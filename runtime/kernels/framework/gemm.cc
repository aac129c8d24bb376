#include "kernels/framework/gemm.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <type_traits>

#include "base/intra_op_team.h"
#include "base/parallel.h"
#include "base/parallel_fill.h"
#include "base/reserve.h"
#include "kernels/framework/convert.h"
#include "kernels/framework/gemm_loops.h"

namespace tfbuild {
namespace {

// Multiplications below which oneDNN's sgemm, which needs no preparation, beats its matmul.
constexpr double kSmallProduct = 1 << 19;
// Multiplications that are worth threads that most often look out for work already.
constexpr double kWorthHelpers = 1 << 21;
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
constexpr int64_t kOneChain = 768;  // what is longer is faster as two, whose operands stay in cache
constexpr int64_t kChainUnit = 64;  // that oneDNN takes at once

int64_t ChainOf(int64_t k) {
  const int64_t runs = std::max<int64_t>((k + kMaxChain - 1) / kMaxChain, k > kOneChain ? 2 : 1);
  return ((k + runs - 1) / runs + kChainUnit - 1) / kChainUnit * kChainUnit;
}

using Extent = MatrixProduct::Extent;

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

// Parts of a product for each thread, so that one which is late holds up little.
constexpr int64_t kPartsOfThread = 2;
// Multiplications of a part at most, about a tenth of a second: between two, work can be stopped.
constexpr double kMostOfPart = 1u << 31;

int64_t PartsFor(double multiplications) {
  return std::max(kPartsOfThread * MaxThreads(),
                  static_cast<int64_t>(multiplications / kMostOfPart));
}

// The size of a part, a multiple of what oneDNN computes at once but at the edges. Rows are cut first,
// while there are many, as those of a part read all of b from the cache; then columns; and where that
// leaves a thread without a part, rows again.
Extent PartOf(const MatMulSizes& sizes) {
  constexpr int64_t kUnit = 64;
  const int64_t wanted = PartsFor(Multiplications(sizes));
  const auto step = [](int64_t all, int64_t parts) {
    return std::min(all, ((all + parts - 1) / parts + kUnit - 1) / kUnit * kUnit);
  };
  const auto parts = [](int64_t all, int64_t least, int64_t most) {
    return std::clamp<int64_t>(all / least, 1, most);
  };
  int64_t down = parts(sizes.m, 2 * kUnit, wanted);
  const int64_t across = parts(sizes.n, 2 * kUnit, (wanted + down - 1) / down);
  if (down * across < wanted) down = parts(sizes.m, kUnit, (wanted + across - 1) / across);
  return {step(sizes.m, down), step(sizes.n, across)};
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
                                                          Extent part, int64_t depth, bool adds) {
  const Extent a{sizes.m, sizes.k};
  const Extent b{sizes.k, sizes.n};
  const Extent c{sizes.m, sizes.n};
  Program program;
  program.a = MatrixDesc(sizes.a_batch, {part.rows, depth}, a, sizes.transpose_a, dtype);
  program.b = MatrixDesc(sizes.b_batch, {depth, part.columns}, b, sizes.transpose_b, dtype);
  program.c = MatrixDesc(sizes.c_batch, part, c, false, dtype);
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

Status MatrixProduct::RunPart(const IntraOpTeam& team, OpKernelContext* context,
                              const MatMulSizes& sizes, DType dtype, Extent part,
                              const Operands& at) {
  // 16-bit results would be rounded after each run; their products are exact in float.
  const int64_t chain = dtype == DType::kFloat ? ChainOf(sizes.k) : sizes.k;
  const int64_t size = DTypeSize(dtype);
  const int64_t a_step = (sizes.transpose_a ? sizes.m : 1) * size;
  const int64_t b_step = (sizes.transpose_b ? 1 : sizes.n) * size;
  for (int64_t k = 0; k < sizes.k; k += chain) {
    ThrowIfStopped();
    const int64_t depth = std::min(chain, sizes.k - k);
    std::vector<int64_t> key = {sizes.m,      sizes.k, sizes.n,       part.rows,
                                part.columns, depth,   k > 0 ? 1 : 0};
    key.insert(key.end(), sizes.a_batch.begin(), sizes.a_batch.end());
    key.insert(key.end(), sizes.b_batch.begin(), sizes.b_batch.end());
    const auto make = [&] { return MakeProgram(sizes, dtype, part, depth, k > 0); };
    ASSIGN_OR_RETURN(const std::shared_ptr<const Program> program,
                     cache_.FindOrMake(team, std::move(key), make));
    RETURN_IF_ERROR(RunOnednn(context, program->primitive,
                              {{DNNL_ARG_SRC, program->a, at.a + k * a_step},
                               {DNNL_ARG_WEIGHTS, program->b, at.b + k * b_step},
                               {DNNL_ARG_DST, program->c, at.c}}));
  }
  return OkStatus();
}

// As a grid of parts of c.
Status MatrixProduct::RunGrid(OpKernelContext* context, const MatMulSizes& sizes, DType dtype,
                              const Operands& all) {
  const int64_t size = DTypeSize(dtype);
  const Extent part = PartOf(sizes);
  const int64_t down = (sizes.m + part.rows - 1) / part.rows;
  const int64_t across = (sizes.n + part.columns - 1) / part.columns;
  return RunAlone(down * across, [&](const IntraOpTeam& alone, int64_t index) {
    const int64_t row = index / across * part.rows;
    const int64_t column = index % across * part.columns;
    const Extent here{std::min(part.rows, sizes.m - row), std::min(part.columns, sizes.n - column)};
    RETURN_IF_ERROR(RunPart(alone, context, sizes, dtype, here,
                            {all.a + row * (sizes.transpose_a ? 1 : sizes.k) * size,
                             all.b + column * (sizes.transpose_b ? sizes.k : 1) * size,
                             all.c + (row * sizes.n + column) * size, nullptr}));
    for (int64_t i = row; all.then != nullptr && i < row + here.rows; ++i) {
      all.then->Run(i * sizes.n + column, i * sizes.n + column + here.columns);
    }
    return Status();
  });
}

// As runs of whole matrices.
Status MatrixProduct::RunBatches(OpKernelContext* context, const MatMulSizes& sizes, DType dtype,
                                 const Operands& all) {
  const int64_t size = DTypeSize(dtype);
  const int64_t batches = sizes.batches();
  const int64_t pieces = std::min(
      batches, PartsFor(Multiplications(sizes) * static_cast<double>(batches)));
  return RunAlone(pieces, [&](const IntraOpTeam& alone, int64_t index) {
    const int64_t begin = batches * index / pieces;
    const int64_t count = batches * (index + 1) / pieces - begin;
    MatMulSizes some = sizes;
    some.a_batch = some.b_batch = some.c_batch = {count};
    return RunPart(alone, context, some, dtype, {sizes.m, sizes.n},
                   {all.a + begin * sizes.m * sizes.k * size,
                    all.b + begin * sizes.k * sizes.n * size,
                    all.c + begin * sizes.m * sizes.n * size, nullptr});
  });
}

Status MatrixProduct::RunOnednnMatMul(OpKernelContext* context, const MatMulSizes& sizes,
                                      DType dtype, const void* a, const void* b, void* c,
                                      const ElementRun* then) {
  const Operands all{static_cast<const char*>(a), static_cast<const char*>(b),
                     static_cast<char*>(c), then};
  const double work = Multiplications(sizes) * static_cast<double>(sizes.batches());
  if ((MaxThreads() > 1 && work >= kWorthHelpers) || work > kMostOfPart) {
    if (sizes.c_batch.empty()) return RunGrid(context, sizes, dtype, all);
    const bool alike = sizes.a_batch == sizes.c_batch && sizes.b_batch == sizes.c_batch;
    if (alike && sizes.batches() >= MaxThreads()) {
      return RunBatches(context, sizes, dtype, all);
    }
  }
  IntraOpTeam team(work);
  RETURN_IF_ERROR(RunPart(team, context, sizes, dtype, {sizes.m, sizes.n}, all));
  if (then != nullptr) then->RunAll();
  return OkStatus();
}

Status MatrixProduct::RunFloat(OpKernelContext* context, const MatMulSizes& sizes, const float* a,
                               const float* b, float* c, const ElementRun* then) {
  const double all = Multiplications(sizes) * static_cast<double>(sizes.batches());
  const bool vector = sizes.c_batch.empty() && (sizes.m == 1 || sizes.n == 1);
  const bool too_many_axes = sizes.c_batch.size() + 2 > kMaxOnednnRank;
  if (vector || too_many_axes || all < kSmallProduct) {
    RETURN_IF_ERROR(SmallFloatProduct(sizes, a, b, c));
    if (then != nullptr) then->RunAll();
    return OkStatus();
  }
  return RunOnednnMatMul(context, sizes, DType::kFloat, a, b, c, then);
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
                           wide_c.mutable_data<float>(), nullptr));
  ConvertElements(wide_c.data<float>(), c_count, c);
  return OkStatus();
}

template <typename T>
Status MatrixProduct::Run(OpKernelContext* context, const MatMulSizes& sizes, const T* a,
                          const T* b, T* c, const ElementRun* then) {
  if (sizes.m == 0 || sizes.n == 0 || sizes.batches() == 0) return OkStatus();
  if (sizes.k == 0) {
    ParallelFill(c, sizes.batches() * sizes.m * sizes.n, T(0));
  } else if constexpr (std::is_same_v<T, float>) {
    return RunFloat(context, sizes, a, b, c, then);
  } else if constexpr (std::is_same_v<T, double>) {
    RETURN_IF_ERROR((LoopProduct<T, double>(context, sizes, a, b, c)));
  } else if constexpr (std::is_integral_v<T>) {
    RETURN_IF_ERROR((LoopProduct<T, std::make_unsigned_t<T>>(context, sizes, a, b, c)));
  } else {
    const bool native = OnednnIsNative(DTypeOf<T>::value) &&
                        sizes.c_batch.size() + 2 <= kMaxOnednnRank &&
                        Multiplications(sizes) >= kSmallProduct;
    if (native) return RunOnednnMatMul(context, sizes, DTypeOf<T>::value, a, b, c, then);
    RETURN_IF_ERROR(RunAsFloat(context, sizes, a, b, c));
  }
  if (then != nullptr) then->RunAll();
  return OkStatus();
}

#define INSTANTIATE(T)                                                                          \
  template Status MatrixProduct::Run<T>(OpKernelContext*, const MatMulSizes&, const T*, const T*, \
                                        T*, const ElementRun*);
TFBUILD_ARITHMETIC_TYPES(INSTANTIATE)
#undef INSTANTIATE

}  // namespace tfbuild
