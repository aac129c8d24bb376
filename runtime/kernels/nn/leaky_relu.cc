// LeakyRelu and LeakyReluGrad: x, or alpha times x where it is not positive, and its derivative.
#include "base/parallel.h"
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"
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

constexpr int64_t kGrain = 131072;  // elements that are worth a thread

// to[i] = from[i], times alpha where sign[i] is not positive. NaN as a sign counts as not positive.
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

// Input 0 holds the values, and the last input their signs: itself, or the features.
template <typename T>
class LeakyReluOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(alpha_, construction.Attr<float>("alpha"));
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    const Tensor& from = context->input(0);
    const Tensor& sign = context->input(context->num_inputs() - 1);
    if (from.shape() != sign.shape()) {
      return InvalidArgument("gradients and features must have the same shape, not ", from.shape(),
                             " and ", sign.shape());
    }
    ASSIGN_OR_RETURN(Tensor * output, context->ForwardOrAllocateOutput({0}, 0, from.shape()));
    const T* values = from.data<T>();
    const T* signs = sign.data<T>();
    T* to = output->mutable_data<T>();
    const auto alpha = static_cast<ComputeTypeOf<T>>(T(alpha_));  // rounded as the values are
    ParallelFor(from.num_elements(), kGrain, [=](int64_t begin, int64_t end) {
      RunVectorised<LeakyLoop<T>, T>(alpha, end - begin, values + begin, signs + begin, to + begin);
    });
    return OkStatus();
  }

 private:
  float alpha_ = 0;
};

#define REGISTER(T)                                                                  \
  REGISTER_KERNEL(Kernel("LeakyRelu").OnCpu().Type<T>("T"), LeakyReluOp<T>);         \
  REGISTER_KERNEL(Kernel("LeakyReluGrad").OnCpu().Type<T>("T"), LeakyReluOp<T>);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
