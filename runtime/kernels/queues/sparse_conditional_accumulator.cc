// SparseConditionalAccumulator: gradients of some rows of a tensor.
#include <algorithm>

#include "graph/shape_context.h"
#include "kernels/queues/accumulator.h"
#include "kernels/queues/gradient_numbers.h"

namespace tfbuild {
namespace {

REGISTER_OP("SparseConditionalAccumulator")
    .Output("handle: Ref(string)").TFBUILD_ACCUMULATOR_ATTRS().ShapeFunction(UnknownShape);
REGISTER_OP("SparseAccumulatorApplyGradient")
    .Input("handle: Ref(string)")
    .Input("local_step: int64")
    .Input("gradient_indices: int64")
    .Input("gradient_values: dtype")
    .Input("gradient_shape: int64")
    .Attr("dtype: {half, bfloat16, float, double}")
    .Attr("has_known_shape: bool")
    .ShapeFunction(NoOutputs);
REGISTER_OP("SparseAccumulatorTakeGradient")
    .Input("handle: Ref(string)")
    .Input("num_required: int32")
    .Output("indices: int64")
    .Output("values: dtype")
    .Output("shape: int64")
    .Attr("dtype: {half, bfloat16, float, double}")
    .ShapeFunction(UnknownShape);

// Rows with their numbers, in the order of these where each gradient has them so; how many gradients had
// a row divides it, not how many there were, as in TensorFlow.
class SparseSum final : public GradientSum {
 public:
  explicit SparseSum(const AccumulatorSpec& spec) : spec_(spec) {}
  std::vector<DType> types() const override { return {DType::kInt64, spec_.dtype, DType::kInt64}; }

  Status Add(const std::vector<Tensor>& gradient) override {
    RETURN_IF_ERROR(Check(gradient[0], gradient[1], gradient[2]));
    const Tensor &indices = gradient[0], &values = gradient[1];
    const int64_t* const numbers = indices.data<int64_t>();
    // Which rows of the sum and of the gradient the new rows are; -1: none.
    std::vector<int64_t> merged, kept, added;
    const int64_t count = indices.num_elements();
    const int64_t before = static_cast<int64_t>(numbers_.size());
    for (int64_t i = 0, j = 0; i < before || j < count;) {
      const bool takes_old =
          j == count || (i < before && numbers_[static_cast<size_t>(i)] <= numbers[j]);
      const bool takes_new =
          i == before || (j < count && numbers[j] <= numbers_[static_cast<size_t>(i)]);
      merged.push_back(takes_old ? numbers_[static_cast<size_t>(i)] : numbers[j]);
      kept.push_back(takes_old ? i++ : -1);
      added.push_back(takes_new ? j++ : -1);
    }
    return Merge(std::move(merged), kept, added, values);
  }

  Result<std::vector<Tensor>> Take(int64_t) override {
    const int64_t count = static_cast<int64_t>(numbers_.size());
    const int64_t size = count == 0 ? 0 : rows_.num_elements() / count;
    for (int64_t i = 0; i < count && spec_.averages; ++i) {
      DivideNumbers(&rows_, i * size, size, counts_[static_cast<size_t>(i)]);
    }
    std::vector<int64_t> shape = rows_.shape().dims();
    shape[0] = spec_.shape.known_rank() && spec_.shape.rank() > 0 ? spec_.shape.dim(0) : -1;
    std::vector<Tensor> taken = {Tensor::Vector<int64_t>(std::move(numbers_)), std::move(rows_),
                                 Tensor::Vector<int64_t>(std::move(shape))};
    numbers_.clear();
    counts_.clear();
    rows_ = Tensor();
    return taken;
  }

 private:
  Status Merge(std::vector<int64_t> numbers, const std::vector<int64_t>& kept,
               const std::vector<int64_t>& added, const Tensor& values) {
    std::vector<int64_t> dims = values.shape().dims();
    dims[0] = static_cast<int64_t>(numbers.size());
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
    ASSIGN_OR_RETURN(Tensor rows, Tensor::Allocate(CpuAllocator(), spec_.dtype, shape));
    std::fill_n(static_cast<char*>(rows.raw()), rows.num_elements() * DTypeSize(spec_.dtype), '\0');
    const int64_t size = numbers.empty() ? 0 : rows.num_elements() / dims[0];
    std::vector<int64_t> counts;
    for (size_t i = 0; i < numbers.size(); ++i) {
      const int64_t to = static_cast<int64_t>(i) * size;
      counts.push_back(added[i] < 0 ? 0 : 1);
      if (kept[i] >= 0) {
        AddNumbers(rows_, kept[i] * size, size, &rows, to);
        counts.back() += counts_[static_cast<size_t>(kept[i])];
      }
      if (added[i] >= 0) AddNumbers(values, added[i] * size, size, &rows, to);
    }
    numbers_ = std::move(numbers);
    counts_ = std::move(counts);
    rows_ = std::move(rows);
    return OkStatus();
  }

  Status Check(const Tensor& indices, const Tensor& values, const Tensor& shape) const {
    if (values.dtype() != spec_.dtype) {
      return InvalidArgument("the accumulator is of ", DTypeName(spec_.dtype), ", not ",
                             DTypeName(values.dtype()));
    }
    if (indices.rank() != 1) {
      return InvalidArgument("Input indices should be vector but received shape: ", indices.shape());
    }
    if (values.rank() < 1) return InvalidArgument("Values cannot be 0-dimensional.");
    if (values.dim(0) != indices.dim(0)) {
      return InvalidArgument("Expected ", indices.dim(0), " non-empty input values, got ",
                             values.dim(0));
    }
    // Of every dimension but the first one.
    std::vector<int64_t> dims = values.shape().dims();
    dims[0] = kUnknownDim;
    if (shape.rank() != 1) return InvalidArgument("gradient_shape must be a vector");
    if (shape.num_elements() > 0) {
      const int64_t* const sizes = shape.data<int64_t>();
      if (shape.num_elements() != values.rank() ||
          !std::equal(dims.begin() + 1, dims.end(), sizes + 1)) {
        return InvalidArgument("Shape mismatch: the values have shape ", values.shape(),
                               ", which is none of rows of the gradient's shape");
      }
      for (int64_t i = 0; i < indices.num_elements(); ++i) {
        const int64_t row = indices.data<int64_t>()[i];
        if (row >= 0 && row < sizes[0]) continue;
        return InvalidArgument("Index ", row, " is not one of the ", sizes[0], " rows");
      }
      dims[0] = sizes[0];
    }
    const bool fits_sum = !rows_.initialized() || std::equal(dims.begin() + 1, dims.end(),
                                                             rows_.shape().dims().begin() + 1,
                                                             rows_.shape().dims().end());
    // The shape of a scalar, which has no rows, says nothing, as in TensorFlow.
    const bool any = spec_.shape.known_rank() && spec_.shape.rank() == 0;
    if (fits_sum && (any || spec_.shape.CompatibleWith(PartialShape(dims)))) return OkStatus();
    return InvalidArgument("Shape mismatch: expected ", spec_.shape, ", got values of shape ",
                           values.shape());
  }

  AccumulatorSpec spec_;
  std::vector<int64_t> numbers_, counts_;
  Tensor rows_;
};

REGISTER_KERNEL(Kernel("SparseConditionalAccumulator").OnCpu(), AccumulatorOp<SparseSum>);
REGISTER_KERNEL(Kernel("SparseAccumulatorApplyGradient").OnCpu(), ApplyGradientOp);
REGISTER_KERNEL(Kernel("SparseAccumulatorTakeGradient").OnCpu(), TakeGradientOp);

}  // namespace
}  // namespace tfbuild
