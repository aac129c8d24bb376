// Multinomial: numbers of classes drawn from the unnormalised logarithms of their probabilities.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/shape_inputs.h"
#include "kernels/random/philox_words.h"
#include "kernels/random/random_seed.h"

namespace tfbuild {
namespace {

Status MultinomialShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const PartialShape logits, context->WithRank(0, 2));
  RETURN_IF_ERROR(context->WithRank(1, 0).status());
  ASSIGN_OR_RETURN(const auto count, KnownScalar(*context, 1));
  if (count && *count < 0) return InvalidArgument("num_samples is negative: ", *count);
  const int64_t rows = logits.dim(0);
  context->set_output(0, PartialShape({rows, count.value_or(kUnknownDim)}));
  return OkStatus();
}

REGISTER_OP("Multinomial")
    .Input("logits: T")
    .Input("num_samples: int32")
    .Output("output: output_dtype")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, half}")
    .Attr("output_dtype: {int32, int64} = DT_INT64")
    .Stateful()
    .ShapeFunction(MultinomialShape);

// The running sums of exp(logit - largest); what is not finite has no share.
template <typename T>
void Cumulate(const T* logits, int64_t classes, std::vector<double>* sums) {
  double largest = std::numeric_limits<double>::lowest();
  sums->resize(static_cast<size_t>(classes));
  for (int64_t j = 0; j < classes; ++j) {
    const double logit = static_cast<double>(ComputeTypeOf<T>(logits[j]));
    (*sums)[static_cast<size_t>(j)] = logit;
    if (std::isfinite(logit)) largest = std::max(largest, logit);
  }
  double total = 0;
  for (double& sum : *sums) {
    if (std::isfinite(sum)) total += std::exp(sum - largest);
    sum = total;
  }
}

template <typename T, typename Out>
class MultinomialOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    return stream_.Init(construction);
  }
  Status Compute(OpKernelContext* context) override {
    const Tensor& logits = context->input(0);
    if (logits.rank() != 2) {
      return InvalidArgument("logits should be a matrix, got shape ", logits.shape());
    }
    const Tensor& wanted = context->input(1);
    if (wanted.rank() != 0) {
      return InvalidArgument("num_samples should be a scalar, got shape ", wanted.shape());
    }
    ASSIGN_OR_RETURN(const int64_t samples, ScalarFrom(wanted, "num_samples"));
    if (samples < 0) return InvalidArgument("num_samples should be nonnegative, got ", samples);
    const int64_t rows = logits.dim(0), classes = logits.dim(1);
    if (classes <= 0) return InvalidArgument("num_classes should be positive, got ", classes);
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make({rows, samples}));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    if (shape.num_elements() == 0) return OkStatus();
    // One stream for all rows, as TensorFlow has it where one thread does the work.
    PhiloxWordStream words(stream_.Reserve(rows * ((samples + 3) / 4 * 8)));
    std::vector<double> sums;
    Out* out = output->mutable_data<Out>();
    for (int64_t row = 0; row < rows; ++row) {
      Cumulate(logits.data<T>() + row * classes, classes, &sums);
      for (int64_t i = 0; i < samples; ++i) {
        const double point = words.NextDouble() * sums.back();
        const auto found = std::upper_bound(sums.begin(), sums.end(), point);
        *out++ = static_cast<Out>(found - sums.begin());
      }
    }
    return OkStatus();
  }

 private:
  RandomStream stream_;
};

#define REGISTER_ONE(T, Out)                                                            \
  REGISTER_KERNEL(Kernel("Multinomial").OnCpu().Type<T>("T").Type<Out>("output_dtype"), \
                  MultinomialOp<T, Out>);
#define REGISTER(T) REGISTER_ONE(T, int32_t) REGISTER_ONE(T, int64_t)
TFBUILD_NUMBER_TYPES(REGISTER)
#undef REGISTER
#undef REGISTER_ONE

}  // namespace
}  // namespace tfbuild
