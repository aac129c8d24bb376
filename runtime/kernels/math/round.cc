// Round (halves to even), IsInf and IsFinite.
#include "graph/shape_context.h"
#include "kernels/framework/elementwise.h"

namespace tfbuild {
namespace {

REGISTER_OP("Round")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, int8, int16, int32, int64}")
    .ShapeFunction(UnchangedShape);

REGISTER_OP("IsInf")
    .Input("x: T")
    .Output("y: bool")
    .Attr("T: {bfloat16, half, float, double}")
    .ShapeFunction(UnchangedShape);

REGISTER_OP("IsFinite")
    .Input("x: T")
    .Output("y: bool")
    .Attr("T: {bfloat16, half, float, double}")
    .ShapeFunction(UnchangedShape);

// Integers are round already.
class RoundIntegersOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    context->SetOutput(0, context->input(0));
    return OkStatus();
  }
};

#define REGISTER(T)                                                                          \
  REGISTER_KERNEL(Kernel("Round").OnCpu().Type<T>("T"),                                      \
                  UnaryKernel<RunUnary<functor::Round, T>>);                                 \
  REGISTER_KERNEL(Kernel("IsInf").OnCpu().Type<T>("T"),                                      \
                  UnaryKernel<RunUnary<functor::IsInf, T, bool>>);                           \
  REGISTER_KERNEL(Kernel("IsFinite").OnCpu().Type<T>("T"),                                   \
                  UnaryKernel<RunUnary<functor::IsFinite, T, bool>>);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER

#define REGISTER(T) REGISTER_KERNEL(Kernel("Round").OnCpu().Type<T>("T"), RoundIntegersOp);
REGISTER(int8_t)
REGISTER(int16_t)
REGISTER(int32_t)
REGISTER(int64_t)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
