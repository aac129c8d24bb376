#include "kernels/random/class_draw.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/stop_look.h"
#include "kernels/framework/functors.h"
#include "kernels/framework/shape_inputs.h"

namespace tfbuild {
namespace {

void CopyAsDoubles(const Tensor& numbers, int64_t begin, std::vector<double>* doubles) {
  switch (numbers.dtype()) {
#define CASE(T)                                                                            \
  case DTypeOf<T>::value:                                                                  \
    for (double& to : *doubles) {                                                          \
      to = static_cast<double>(ComputeTypeOf<T>(numbers.data<T>()[begin++]));              \
    }                                                                                      \
    return;
    TFBUILD_NUMBER_TYPES(CASE)
#undef CASE
    default: return;  // no kernel is registered for others
  }
}

}  // namespace

Status ClassDrawShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const PartialShape logits, context->WithRank(0, 2));
  RETURN_IF_ERROR(context->WithRank(1, 0).status());
  ASSIGN_OR_RETURN(const auto count, KnownScalar(*context, 1));
  if (count && *count < 0) return InvalidArgument("num_samples is negative: ", *count);
  context->set_output(0, PartialShape({logits.dim(0), count.value_or(kUnknownDim)}));
  return OkStatus();
}

Result<ClassDraw> ClassDraw::Make(const Tensor& logits, const Tensor& wanted) {
  if (logits.rank() != 2) {
    return InvalidArgument("logits should be a matrix, got shape ", logits.shape());
  }
  if (wanted.rank() != 0) {
    return InvalidArgument("num_samples should be a scalar, got shape ", wanted.shape());
  }
  ASSIGN_OR_RETURN(const int64_t samples, ScalarFrom(wanted, "num_samples"));
  if (samples < 0) return InvalidArgument("num_samples should be nonnegative, got ", samples);
  if (logits.dim(1) <= 0) {
    return InvalidArgument("num_classes should be positive, got ", logits.dim(1));
  }
  ASSIGN_OR_RETURN(const Shape shape, Shape::Make({logits.dim(0), samples}));
  return ClassDraw(logits, shape);
}

Status ClassDraw::Fill(const Philox& start, Tensor* output) const {
  if (shape_.num_elements() == 0) return OkStatus();
  PhiloxWordStream words(start);
  std::vector<double> sums(static_cast<size_t>(logits_.dim(1)));
  StopLook look;
  for (int64_t i = 0; i < shape_.num_elements(); ++i) {
    look.Turn();
    if (i % shape_.dim(1) == 0) {
      Cumulate(i / shape_.dim(1), &sums);
      if (sums.back() == 0) {
        return InvalidArgument("no logit of row ", i / shape_.dim(1), " is finite");
      }
    }
    // Below the sum of all, which a product that is rounded up may reach.
    const double point =
        std::min(words.NextDouble() * sums.back(), std::nextafter(sums.back(), 0.0));
    const auto drawn = std::upper_bound(sums.begin(), sums.end(), point) - sums.begin();
    if (output->dtype() == DType::kInt64) {
      output->mutable_data<int64_t>()[i] = drawn;
    } else {
      output->mutable_data<int32_t>()[i] = static_cast<int32_t>(drawn);
    }
  }
  return OkStatus();
}

// The running sums of exp(logit - largest); what is not finite has no share.
void ClassDraw::Cumulate(int64_t row, std::vector<double>* sums) const {
  CopyAsDoubles(logits_, row * logits_.dim(1), sums);
  double largest = std::numeric_limits<double>::lowest();
  for (const double logit : *sums) {
    if (std::isfinite(logit)) largest = std::max(largest, logit);
  }
  double total = 0;
  StopLook look;
  for (double& sum : *sums) {
    look.Turn();
    if (std::isfinite(sum)) total += std::exp(sum - largest);
    sum = total;
  }
}

}  // namespace tfbuild
