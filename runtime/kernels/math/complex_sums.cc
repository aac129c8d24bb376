// Sums, means, products and matrix products of complex numbers, computed in double.
#include <type_traits>

#include "base/parallel.h"
#include "base/parallel_fill.h"
#include "kernels/framework/matmul_sizes.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/reduction.h"
#include "tensor/complex.h"

namespace tfbuild {
namespace {

using Wide = std::complex<double>;

enum class Fold { kSum, kMean, kProduct };

template <typename T, Fold kFold>
class ComplexFoldOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(keep_dims_, construction.Attr<bool>("keep_dims"));
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    ASSIGN_OR_RETURN(const ReductionPlan plan,
                     PlanReduction(input.shape(), context->input(1), keep_dims_));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, plan.output));
    ASSIGN_OR_RETURN(Tensor sums, context->AllocateTemp(DType::kComplex128, Shape{plan.outputs}));
    Wide* sum = sums.mutable_data<Wide>();
    ParallelFill(sum, plan.outputs, Wide(kFold == Fold::kProduct ? 1 : 0));
    if (input.num_elements() > 0) Gather(plan, input.data<T>(), sum);
    T* out = output->mutable_data<T>();
    const double count = kFold == Fold::kMean ? static_cast<double>(plan.reduced) : 1.0;
    ParallelFor(plan.outputs, kParallelFillGrain, [out, sum, count](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) out[i] = static_cast<T>(sum[i] / count);
    });
    return OkStatus();
  }

 private:
  // Element by element, each into the result that its place along the axes that stay has.
  static void Gather(const ReductionPlan& plan, const T* x, Wide* results) {
    const size_t rank = plan.dims.size();
    std::vector<int64_t> step(rank, 0);  // in the results
    int64_t stride = 1;
    int64_t count = 1;
    for (size_t k = rank; k-- > 0;) {
      count *= plan.dims[k];
      if (plan.is_reduced(k)) continue;
      step[k] = stride;
      stride *= plan.dims[k];
    }
    std::vector<int64_t> index(rank, 0);
    int64_t at = 0;
    for (int64_t i = 0; i < count; ++i) {
      if constexpr (kFold == Fold::kProduct) {
        results[at] *= Wide(x[i]);
      } else {
        results[at] += Wide(x[i]);
      }
      for (size_t k = rank; k-- > 0;) {
        at += step[k];
        if (++index[k] < plan.dims[k]) break;
        at -= step[k] * plan.dims[k];
        index[k] = 0;
      }
    }
  }
  bool keep_dims_ = false;
};

// c = op(a) op(b) for each batch, where op may transpose; an adjoint is conjugated, too.
template <typename T, bool kAdjoint>
class ComplexProductOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(turn_a_, construction.Attr<bool>(kAdjoint ? "adj_x" : "transpose_a"));
    ASSIGN_OR_RETURN(turn_b_, construction.Attr<bool>(kAdjoint ? "adj_y" : "transpose_b"));
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    const Tensor& a = context->input(0);
    const Tensor& b = context->input(1);
    if (!kAdjoint && (a.rank() != 2 || b.rank() != 2)) {
      return InvalidArgument("MatMul takes matrices, not ", a.shape(), " and ", b.shape());
    }
    ASSIGN_OR_RETURN(const MatMulSizes sizes,
                     MakeMatMulSizes(a.shape(), b.shape(), turn_a_, turn_b_));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, sizes.output_shape()));
    if (output->num_elements() > 0) {
      Multiply(sizes, a.data<T>(), b.data<T>(), output->mutable_data<T>());
    }
    return OkStatus();
  }
  bool IsExpensive() const override { return true; }

 private:
  static T Turned(T x, bool turned) { return kAdjoint && turned ? std::conj(x) : x; }
  void Multiply(const MatMulSizes& sizes, const T* a, const T* b, T* c) const;
  bool turn_a_ = false;
  bool turn_b_ = false;
};

template <typename T, bool kAdjoint>
void ComplexProductOp<T, kAdjoint>::Multiply(const MatMulSizes& sizes, const T* a, const T* b,
                                             T* c) const {
  constexpr int64_t kGrain = 16384;  // products that are worth a thread
  const std::vector<int64_t> a_of = BatchIndices(sizes.a_batch, sizes.c_batch);
  const std::vector<int64_t> b_of = BatchIndices(sizes.b_batch, sizes.c_batch);
  const int64_t m = sizes.m;
  const int64_t k = sizes.k;
  const int64_t n = sizes.n;
  const int64_t grain = std::max<int64_t>(1, kGrain / std::max<int64_t>(1, k * n));
  ParallelFor(sizes.batches() * m, grain, [&](int64_t begin, int64_t end) {
    std::vector<Wide> sums(static_cast<size_t>(n));
    for (int64_t row = begin; row < end; ++row) {
      const T* left = a + a_of[static_cast<size_t>(row / m)] * m * k;
      const T* right = b + b_of[static_cast<size_t>(row / m)] * k * n;
      const int64_t i = row % m;
      std::fill(sums.begin(), sums.end(), Wide(0));
      for (int64_t p = 0; p < k; ++p) {
        const Wide factor(Turned(sizes.transpose_a ? left[p * m + i] : left[i * k + p], turn_a_));
        for (int64_t j = 0; j < n; ++j) {
          const T other = sizes.transpose_b ? right[j * k + p] : right[p * n + j];
          sums[static_cast<size_t>(j)] += factor * Wide(Turned(other, turn_b_));
        }
      }
      for (int64_t j = 0; j < n; ++j) c[row * n + j] = static_cast<T>(sums[static_cast<size_t>(j)]);
    }
  });
}

#define REGISTER(T)                                                                              \
  REGISTER_KERNEL(Kernel("Sum").OnCpu().Type<T>("T"), ComplexFoldOp<T, Fold::kSum>);             \
  REGISTER_KERNEL(Kernel("Mean").OnCpu().Type<T>("T"), ComplexFoldOp<T, Fold::kMean>);           \
  REGISTER_KERNEL(Kernel("Prod").OnCpu().Type<T>("T"), ComplexFoldOp<T, Fold::kProduct>);        \
  REGISTER_KERNEL(Kernel("MatMul").OnCpu().Type<T>("T"), ComplexProductOp<T, false>);            \
  REGISTER_KERNEL(Kernel("BatchMatMulV2").OnCpu().Type<T>("T"), ComplexProductOp<T, true>);
TFBUILD_COMPLEX_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
