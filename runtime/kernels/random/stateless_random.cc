// StatelessRandomUniform, -Normal, -UniformInt, -UniformFullInt, StatelessTruncatedNormal and
// StatelessMultinomial: random numbers that the seed alone decides.
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/shape_inputs.h"
#include "kernels/random/class_draw.h"
#include "kernels/random/random_fill.h"
#include "kernels/random/random_seed.h"

namespace tfbuild {
namespace {

Status SeedShape(ShapeContext* context, int i) {
  ASSIGN_OR_RETURN(const PartialShape seed, context->WithRank(i, 1));
  return seed.MergeWith(PartialShape{2}).status();
}

Status StatelessShape(ShapeContext* context) {
  RETURN_IF_ERROR(SeedShape(context, 1));
  for (int i = 2; i < context->num_inputs(); ++i) {
    RETURN_IF_ERROR(context->WithRank(i, 0).status());
  }
  ASSIGN_OR_RETURN(PartialShape shape, context->input_as_shape(0));
  context->set_output(0, std::move(shape));
  return OkStatus();
}

Status StatelessMultinomialShape(ShapeContext* context) {
  RETURN_IF_ERROR(SeedShape(context, 2));
  return ClassDrawShape(context);
}

REGISTER_OP("StatelessRandomUniform")
    .Input("shape: T")
    .Input("seed: Tseed")
    .Output("output: dtype")
    .Attr("dtype: {half, bfloat16, float, double} = DT_FLOAT")
    .Attr("T: {int32, int64} = DT_INT32")
    .Attr("Tseed: {int32, int64} = DT_INT64")
    .ShapeFunction(StatelessShape);
REGISTER_OP("StatelessRandomNormal")
    .Input("shape: T")
    .Input("seed: Tseed")
    .Output("output: dtype")
    .Attr("dtype: {half, bfloat16, float, double} = DT_FLOAT")
    .Attr("T: {int32, int64} = DT_INT32")
    .Attr("Tseed: {int32, int64} = DT_INT64")
    .ShapeFunction(StatelessShape);
REGISTER_OP("StatelessTruncatedNormal")
    .Input("shape: T")
    .Input("seed: Tseed")
    .Output("output: dtype")
    .Attr("dtype: {half, bfloat16, float, double} = DT_FLOAT")
    .Attr("T: {int32, int64} = DT_INT32")
    .Attr("Tseed: {int32, int64} = DT_INT64")
    .ShapeFunction(StatelessShape);
REGISTER_OP("StatelessRandomUniformInt")
    .Input("shape: T")
    .Input("seed: Tseed")
    .Input("minval: dtype")
    .Input("maxval: dtype")
    .Output("output: dtype")
    .Attr("dtype: {int32, int64}")
    .Attr("T: {int32, int64}")
    .Attr("Tseed: {int32, int64} = DT_INT64")
    .ShapeFunction(StatelessShape);
REGISTER_OP("StatelessRandomUniformFullInt")
    .Input("shape: T")
    .Input("seed: Tseed")
    .Output("output: dtype")
    .Attr("dtype: {int32, int64, uint32, uint64}")
    .Attr("T: {int32, int64} = DT_INT32")
    .Attr("Tseed: {int32, int64} = DT_INT64")
    .ShapeFunction(StatelessShape);
REGISTER_OP("StatelessMultinomial")
    .Input("logits: T")
    .Input("num_samples: int32")
    .Input("seed: Tseed")
    .Output("output: output_dtype")
    .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, half}")
    .Attr("Tseed: {int32, int64} = DT_INT64")
    .Attr("output_dtype: {int32, int64} = DT_INT64")
    .ShapeFunction(StatelessMultinomialShape);

uint64_t Joined(uint32_t low, uint32_t high) { return low | static_cast<uint64_t>(high) << 32; }

// The stream of a seed. TensorFlow mixes its two numbers by one call under a key of its own, so
// that any two seeds give streams that have nothing in common.
Result<Philox> StreamOf(const Tensor& seed) {
  if (seed.rank() != 1 || seed.dim(0) != 2) {
    return InvalidArgument("seed must have shape [2], not ", seed.shape());
  }
  ASSIGN_OR_RETURN(const std::vector<int64_t> words, seed.IntValues());
  constexpr uint64_t kMixingKey = 0x02461e293ec8f720u;
  Philox mixer(kMixingKey, static_cast<uint64_t>(words[1]));
  mixer.Skip(static_cast<uint64_t>(words[0]));
  const PhiloxWords mixed = mixer();
  return Philox(Joined(mixed.word[0], mixed.word[1]), Joined(mixed.word[2], mixed.word[3]));
}

template <typename T, typename Draw>
Status FillOutput(OpKernelContext* context, const Shape& shape, const Draw& draw) {
  ASSIGN_OR_RETURN(const Philox stream, StreamOf(context->input(1)));
  ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
  FillFromStream(draw, stream, shape.num_elements(), output->mutable_data<T>());
  return OkStatus();
}

template <typename T, typename Draw>
class StatelessOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const Shape shape, RandomOutputShape(context->input(0)));
    return FillOutput<T>(context, shape, Draw());
  }
};

template <typename Int>
class StatelessIntOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const Shape shape, RandomOutputShape(context->input(0)));
    if (shape.num_elements() == 0) return FillOutput<Int>(context, shape, UniformIntDraw<Int>{0, 1});
    ASSIGN_OR_RETURN(const UniformIntDraw<Int> draw,
                     MakeUniformIntDraw<Int>(context->input(2), context->input(3)));
    return FillOutput<Int>(context, shape, draw);
  }
};

// All integers of a type, each as likely as the others.
template <typename Int>
struct FullIntDraw {
  using Value = Int;
  static constexpr int kGroup = static_cast<int>(16 / sizeof(Int));
  static constexpr int kCallsPerGroup = 1;
  void operator()(Philox* generator, Int* out) const {
    const PhiloxWords words = (*generator)();
    for (int i = 0; i < kGroup; ++i) {
      out[i] = sizeof(Int) == 4
                   ? static_cast<Int>(words.word[i])
                   : static_cast<Int>(Joined(words.word[2 * i % 4], words.word[(2 * i + 1) % 4]));
    }
  }
};

class StatelessMultinomialOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const ClassDraw draw,
                     ClassDraw::Make(context->input(0), context->input(1)));
    ASSIGN_OR_RETURN(const Philox stream, StreamOf(context->input(2)));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, draw.shape()));
    return draw.Fill(stream, output);
  }
};

#define REGISTER(T)                                                                    \
  REGISTER_KERNEL(Kernel("StatelessRandomUniform").OnCpu().Type<T>("dtype"),           \
                  StatelessOp<T, UniformDraw<T>>);                                     \
  REGISTER_KERNEL(Kernel("StatelessRandomNormal").OnCpu().Type<T>("dtype"),            \
                  StatelessOp<T, NormalDraw<T>>);                                      \
  REGISTER_KERNEL(Kernel("StatelessTruncatedNormal").OnCpu().Type<T>("dtype"),         \
                  StatelessOp<T, TruncatedNormalDraw<T>>);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER

#define REGISTER(T)                                                                    \
  REGISTER_KERNEL(Kernel("StatelessRandomUniformInt").OnCpu().Type<T>("dtype"),        \
                  StatelessIntOp<T>);                                                  \
  REGISTER_KERNEL(Kernel("StatelessRandomUniformFullInt").OnCpu().Type<T>("dtype"),    \
                  StatelessOp<T, FullIntDraw<T>>);
REGISTER(int32_t)
REGISTER(int64_t)
#undef REGISTER
#define REGISTER(T)                                                                 \
  REGISTER_KERNEL(Kernel("StatelessRandomUniformFullInt").OnCpu().Type<T>("dtype"), \
                  StatelessOp<T, FullIntDraw<T>>);
REGISTER(uint32_t)
REGISTER(uint64_t)
#undef REGISTER

#define REGISTER_ONE(T, Out)                                                   \
  REGISTER_KERNEL(                                                             \
      Kernel("StatelessMultinomial").OnCpu().Type<T>("T").Type<Out>("output_dtype"), \
      StatelessMultinomialOp);
#define REGISTER(T) REGISTER_ONE(T, int32_t) REGISTER_ONE(T, int64_t)
TFBUILD_NUMBER_TYPES(REGISTER)
#undef REGISTER
#undef REGISTER_ONE

}  // namespace
}  // namespace tfbuild
