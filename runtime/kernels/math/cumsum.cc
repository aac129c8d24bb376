// Cumsum and Cumprod: sums and products of the elements up to each along an axis.
#include <algorithm>

#include "base/parallel.h"
#include "base/stop_look.h"
#include "kernels/framework/functors.h"
#include "kernels/math/cumsum.h"

namespace tfbuild {
namespace {

Status CumulativeShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRank(1, 0).status());
  ASSIGN_OR_RETURN(const auto axis, KnownScalar(*context, 1));
  if (axis && context->input(0).known_rank()) {
    RETURN_IF_ERROR(CanonicalAxis(*axis, context->input(0).rank()).status());
  }
  return UnchangedShape(context);
}

#define TFBUILD_CUMULATIVE_OP(NAME)                                             \
  REGISTER_OP(NAME)                                                             \
      .Input("x: T")                                                            \
      .Input("axis: Tidx")                                                      \
      .Output("out: T")                                                         \
      .Attr("exclusive: bool = false")                                          \
      .Attr("reverse: bool = false")                                            \
      .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, half, " \
            "uint16, uint32, uint64}")                                          \
      .Attr("Tidx: {int32, int64} = DT_INT32")                                  \
      .ShapeFunction(CumulativeShape)
TFBUILD_CUMULATIVE_OP("Cumsum");
TFBUILD_CUMULATIVE_OP("Cumprod");

constexpr int64_t kCumsumGrain = 32768;  // elements that are worth a thread

// F with kNothing, the number that changes no other.
template <typename T, typename F, int kNothing>
class CumulativeOp final : public CumulativeKernel {
  Status RunLines(OpKernelContext*, const Lines& lines, const Tensor& x,
                  Tensor* output) const override {
    const auto [count, length, inner] = lines;
    const T* from = x.data<T>();
    T* to = output->mutable_data<T>();
    const int64_t grain = std::max<int64_t>(1, kCumsumGrain / length);
    ParallelFor(count, grain, [=, length = length, inner = inner](int64_t begin, int64_t end) {
      StopLook look;
      for (int64_t line = begin; line < end; ++line) {
        const int64_t start = line / inner * inner * length + line % inner;
        RunLine(from + start, to + start, length, inner, &look);
      }
    });
    return OkStatus();
  }

  void RunLine(const T* from, T* to, int64_t length, int64_t stride, StopLook* look) const {
    using C = ComputeTypeOf<T>;
    C sum = static_cast<C>(kNothing);
    for (int64_t i = 0; i < length; ++i) {
      look->Turn();
      const int64_t at = (reverse_ ? length - 1 - i : i) * stride;
      const C next = F::Apply(sum, static_cast<C>(from[at]));
      to[at] = T(exclusive_ ? sum : next);
      sum = next;
    }
  }
};

#define REGISTER(T)                                                                               \
  REGISTER_KERNEL(Kernel("Cumsum").OnCpu().Type<T>("T"), CumulativeOp<SignedOf<T>, functor::Add, 0>); \
  REGISTER_KERNEL(Kernel("Cumprod").OnCpu().Type<T>("T"), CumulativeOp<SignedOf<T>, functor::Mul, 1>);
TFBUILD_NUMBER_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
