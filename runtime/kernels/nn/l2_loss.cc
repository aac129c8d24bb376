// L2Loss: half the sum of the squares.
#include "base/parallel.h"
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"

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

template <typename C, typename T>
C SumOfSquares(const T* in, int64_t count) {
  C sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < count; ++i) {
    const C value = static_cast<C>(in[i]);
    sum += value * value;
  }
  return sum;
}

template <typename T>
class L2LossOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    using C = ComputeTypeOf<T>;
    const Tensor& input = context->input(0);
    const int64_t count = input.num_elements();
    const int64_t blocks = (count + kBlock - 1) / kBlock;
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, Shape{}));
    ASSIGN_OR_RETURN(Tensor sums, context->AllocateTemp(DTypeOf<C>::value, Shape{blocks}));
    const T* in = input.data<T>();
    C* sum = sums.mutable_data<C>();
    ParallelFor(blocks, 2, [=](int64_t begin, int64_t end) {
      for (int64_t block = begin; block < end; ++block) {
        const int64_t first = block * kBlock;
        sum[block] = SumOfSquares<C>(in + first, std::min(kBlock, count - first));
      }
    });
    C total = 0;
    for (int64_t block = 0; block < blocks; ++block) total += sum[block];
    *output->mutable_data<T>() = T(total * C(0.5));
    return OkStatus();
  }
};

#define REGISTER(T) REGISTER_KERNEL(Kernel("L2Loss").OnCpu().Type<T>("T"), L2LossOp<T>);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
