// RandomUniform, RandomStandardNormal, TruncatedNormal and RandomUniformInt.
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/random/random_fill.h"
#include "kernels/random/random_seed.h"

namespace tfbuild {
namespace {

Status RandomShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(PartialShape shape, context->input_as_shape(0));
  context->set_output(0, std::move(shape));
  return OkStatus();
}

Status RandomIntShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRank(1, 0).status());
  RETURN_IF_ERROR(context->WithRank(2, 0).status());
  return RandomShape(context);
}

REGISTER_OP("RandomUniform")
    .Input("shape: T")
    .Output("output: dtype")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Attr("dtype: {half, bfloat16, float, double}")
    .Attr("T: {int32, int64}")
    .Stateful()
    .ShapeFunction(RandomShape);

REGISTER_OP("RandomStandardNormal")
    .Input("shape: T")
    .Output("output: dtype")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Attr("dtype: {half, bfloat16, float, double}")
    .Attr("T: {int32, int64}")
    .Stateful()
    .ShapeFunction(RandomShape);

REGISTER_OP("TruncatedNormal")
    .Input("shape: T")
    .Output("output: dtype")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Attr("dtype: {half, bfloat16, float, double}")
    .Attr("T: {int32, int64}")
    .Stateful()
    .ShapeFunction(RandomShape);

REGISTER_OP("RandomUniformInt")
    .Input("shape: T")
    .Input("minval: Tout")
    .Input("maxval: Tout")
    .Output("output: Tout")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Attr("Tout: {int32, int64}")
    .Attr("T: {int32, int64}")
    .Stateful()
    .ShapeFunction(RandomIntShape);

template <typename T, typename Draw>
class RandomOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    return stream_.Init(construction);
  }
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const Shape shape, RandomOutputShape(context->input(0)));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    const int64_t count = output->num_elements();
    const Philox start = stream_.Reserve(count);
    // Of a dropout that keeps everything (passes/simplify.cc) only the stream goes on.
    if (context->is_read()) FillFromStream(Draw(), start, count, output->mutable_data<T>());
    return OkStatus();
  }

 private:
  RandomStream stream_;
};

template <typename Int>
class RandomIntOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    return stream_.Init(construction);
  }
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const Shape shape, RandomOutputShape(context->input(0)));
    ASSIGN_OR_RETURN(const UniformIntDraw<Int> draw,
                     MakeUniformIntDraw<Int>(context->input(1), context->input(2)));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    const int64_t count = output->num_elements();
    FillFromStream(draw, stream_.Reserve(count), count, output->mutable_data<Int>());
    return OkStatus();
  }

 private:
  RandomStream stream_;
};

#define REGISTER(T)                                                                   \
  REGISTER_KERNEL(Kernel("RandomUniform").OnCpu().Type<T>("dtype"),                   \
                  RandomOp<T, UniformDraw<T>>);                                       \
  REGISTER_KERNEL(Kernel("RandomStandardNormal").OnCpu().Type<T>("dtype"),            \
                  RandomOp<T, NormalDraw<T>>);                                        \
  REGISTER_KERNEL(Kernel("TruncatedNormal").OnCpu().Type<T>("dtype"),                 \
                  RandomOp<T, TruncatedNormalDraw<T>>);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER

REGISTER_KERNEL(Kernel("RandomUniformInt").OnCpu().Type<int32_t>("Tout"), RandomIntOp<int32_t>);
REGISTER_KERNEL(Kernel("RandomUniformInt").OnCpu().Type<int64_t>("Tout"), RandomIntOp<int64_t>);

}  // namespace
}  // namespace tfbuild
