// Multinomial: numbers of classes drawn from the unnormalised logarithms of their probabilities.
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/random/class_draw.h"
#include "kernels/random/random_seed.h"

namespace tfbuild {
namespace {

REGISTER_OP("Multinomial")
    .Input("logits: T")
    .Input("num_samples: int32")
    .Output("output: output_dtype")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, half}")
    .Attr("output_dtype: {int32, int64} = DT_INT64")
    .Stateful()
    .ShapeFunction(ClassDrawShape);

class MultinomialOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    return stream_.Init(construction);
  }
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const ClassDraw draw,
                     ClassDraw::Make(context->input(0), context->input(1)));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, draw.shape()));
    if (draw.shape().num_elements() == 0) return OkStatus();
    return draw.Fill(stream_.ReserveCalls(draw.Reserved()), output);
  }

 private:
  RandomStream stream_;
};

#define REGISTER_ONE(T, Out)                                                            \
  REGISTER_KERNEL(Kernel("Multinomial").OnCpu().Type<T>("T").Type<Out>("output_dtype"), \
                  MultinomialOp);
#define REGISTER(T) REGISTER_ONE(T, int32_t) REGISTER_ONE(T, int64_t)
TFBUILD_NUMBER_TYPES(REGISTER)
#undef REGISTER
#undef REGISTER_ONE

}  // namespace
}  // namespace tfbuild
