// L2Loss: half the sum of the squares.
#include "base/parallel.h"
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/vector_target.h"

namespace tfbuild {
namespace {

// Squares are added up in blocks of this size and the blocks' sums in order, so that the result
// does not depend on the number of threads.
constexpr int64_t kBlock = 8192;

REGISTER_OP("L2Loss")
    .Input("t: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double}")
    .ShapeFunction(ScalarShape);

template <typename T>
struct SumOfSquaresLoop {
  template <int kVectorBytes>
  static TFBUILD_ALWAYS_INLINE void Run(const T* in, int64_t count, double* sum) {
    double total = 0;
#pragma omp simd reduction(+ : total)
    for (int64_t i = 0; i < count; ++i) {
      const double value = static_cast<ComputeTypeOf<T>>(in[i]);
      total += value * value;
    }
    *sum = total;
  }
};

template <typename T>
class L2LossOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    const int64_t count = input.num_elements();
    const int64_t blocks = (count + kBlock - 1) / kBlock;
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, Shape{}));
    ASSIGN_OR_RETURN(Tensor sums, context->AllocateTemp(DType::kDouble, Shape{blocks}));
    const T* in = input.data<T>();
    double* sum = sums.mutable_data<double>();
    ParallelFor(blocks, 2, [=](int64_t begin, int64_t end) {
      for (int64_t block = begin; block < end; ++block) {
        const int64_t first = block * kBlock;
        RunVectorised<SumOfSquaresLoop<T>>(in + first, std::min(kBlock, count - first),
                                           sum + block);
      }
    });
    double total = 0;
    for (int64_t block = 0; block < blocks; ++block) total += sum[block];
    *output->mutable_data<T>() = T(total * 0.5);
    return OkStatus();
  }
};

#define REGISTER(T) REGISTER_KERNEL(Kernel("L2Loss").OnCpu().Type<T>("T"), L2LossOp<T>);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
