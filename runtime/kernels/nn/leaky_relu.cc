// LeakyRelu and LeakyReluGrad: x, or alpha times x where it is not positive, and its derivative.
#include "kernels/nn/leaky_relu.h"

#include "base/parallel.h"
#include "graph/shape_context.h"
#include "kernels/framework/vector_target.h"

namespace tfbuild {
namespace {

REGISTER_OP("LeakyRelu")
    .Input("features: T")
    .Output("activations: T")
    .Attr("alpha: float = 0.2")
    .Attr("T: {half, bfloat16, float, double} = DT_FLOAT")
    .ShapeFunction(UnchangedShape);

REGISTER_OP("LeakyReluGrad")
    .Input("gradients: T")
    .Input("features: T")
    .Output("backprops: T")
    .Attr("alpha: float = 0.2")
    .Attr("T: {half, bfloat16, float, double} = DT_FLOAT")
    .ShapeFunction(UnchangedShape);

constexpr int64_t kLeakyReluGrain = 131072;  // elements that are worth a thread

template <typename T>
struct LeakyLoop {
  template <int kVectorBytes>
  static TFBUILD_ALWAYS_INLINE void Run(ComputeTypeOf<T> alpha, int64_t count, const T* from,
                                        const T* sign, T* to) {
    using C = ComputeTypeOf<T>;
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) {
      const C value = static_cast<C>(from[i]);
      to[i] = T(static_cast<C>(sign[i]) > C(0) ? value : value * alpha);
    }
  }
};

template <typename T>
Status RunLeaky(OpKernelContext*, const LeakyTask<T>& task) {
  ParallelFor(task.count, kLeakyReluGrain, [task](int64_t begin, int64_t end) {
    RunVectorised<LeakyLoop<T>, T>(task.alpha, end - begin, task.from + begin, task.sign + begin,
                                   task.to + begin);
  });
  return OkStatus();
}

#define REGISTER(T)                                                                           \
  REGISTER_KERNEL(Kernel("LeakyRelu").OnCpu().Type<T>("T"), LeakyReluOp<T, RunLeaky<T>>);     \
  REGISTER_KERNEL(Kernel("LeakyReluGrad").OnCpu().Type<T>("T"), LeakyReluOp<T, RunLeaky<T>>);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
