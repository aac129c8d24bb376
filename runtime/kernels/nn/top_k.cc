// TopKV2: the k largest elements of each row, with their places. InTopK and InTopKV2: whether the
// element of a given place is among the k largest.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/parallel.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/shape_inputs.h"

namespace tfbuild {
namespace {

Status TopKShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRankAtLeast(0, 1));
  RETURN_IF_ERROR(context->WithRank(1, 0).status());
  ASSIGN_OR_RETURN(const auto k, KnownScalar(*context, 1));
  const PartialShape& input = context->input(0);
  if (k && *k < 0) return InvalidArgument("Need k >= 0, got ", *k);
  if (!input.known_rank()) return OkStatus();
  std::vector<int64_t> dims = input.dims();
  if (k && dims.back() != kUnknownDim && dims.back() < *k) {
    return InvalidArgument("input must have last dimension >= k = ", *k, " but is ", dims.back());
  }
  dims.back() = k.value_or(kUnknownDim);
  context->set_output(0, PartialShape(dims));
  context->set_output(1, PartialShape(dims));
  return OkStatus();
}

REGISTER_OP("TopKV2")
    .Input("input: T")
    .Input("k: Tk")
    .Output("values: T")
    .Output("indices: index_type")
    .Attr("sorted: bool = true")
    .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, half}")
    .Attr("Tk: {int16, int32, int64} = DT_INT32")
    .Attr("index_type: {int16, int32, int64} = DT_INT32")
    .ShapeFunction(TopKShape);

Status InTopKShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const PartialShape predictions, context->WithRank(0, 2));
  ASSIGN_OR_RETURN(const PartialShape targets, context->WithRank(1, 1));
  ASSIGN_OR_RETURN(PartialShape rows, targets.MergeWith({predictions.dim(0)}));
  context->set_output(0, std::move(rows));
  return OkStatus();
}

REGISTER_OP("InTopK")
    .Input("predictions: float")
    .Input("targets: T")
    .Output("precision: bool")
    .Attr("k: int")
    .Attr("T: {int32, int64} = DT_INT32")
    .ShapeFunction(InTopKShape);

REGISTER_OP("InTopKV2")
    .Input("predictions: float")
    .Input("targets: T")
    .Input("k: T")
    .Output("precision: bool")
    .Attr("T: {int32, int64} = DT_INT32")
    .ShapeFunction(InTopKShape);

constexpr int64_t kGrain = 8192;  // elements that are worth a thread

// Writes the places of the k largest of `size` elements into `order`, the largest first. Of equal
// ones the first comes first, and NaN is less than all numbers.
template <typename T>
void FindLargest(const T* row, int64_t size, int64_t k, std::vector<int64_t>* order) {
  using C = ComputeTypeOf<T>;
  order->resize(static_cast<size_t>(size));
  std::iota(order->begin(), order->end(), 0);
  const auto before = [row](int64_t a, int64_t b) {
    const C x = static_cast<C>(row[a]), y = static_cast<C>(row[b]);
    if (x > y || y > x) return x > y;
    const bool x_is_nan = x != x, y_is_nan = y != y;
    return x_is_nan == y_is_nan ? a < b : y_is_nan;
  };
  std::partial_sort(order->begin(), order->begin() + k, order->end(), before);
}

template <typename T, typename Index>
class TopKOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    ASSIGN_OR_RETURN(const int64_t k, ScalarFrom(context->input(1), "k"));
    if (k < 0) return InvalidArgument("Need k >= 0, got ", k);
    if (input.rank() < 1) return InvalidArgument("input must be >= 1-D, got shape ", input.shape());
    const int64_t size = input.dim(input.rank() - 1);
    if (size < k) {
      return InvalidArgument("input must have at least k columns. Had ", size, ", needed ", k);
    }
    std::vector<int64_t> dims = input.shape().dims();
    dims.back() = k;
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make(std::move(dims)));
    ASSIGN_OR_RETURN(Tensor * values, context->AllocateOutput(0, shape));
    ASSIGN_OR_RETURN(Tensor * indices, context->AllocateOutput(1, shape));
    if (shape.num_elements() == 0) return OkStatus();
    const T* from = input.data<T>();
    T* largest = values->mutable_data<T>();
    Index* places = indices->mutable_data<Index>();
    const int64_t grain = std::max<int64_t>(1, kGrain / size);
    ParallelFor(input.num_elements() / size, grain, [=](int64_t begin, int64_t end) {
      // A copy of the row, as the order must hold while it is sorted, whoever fed the array.
      std::vector<T> row;
      std::vector<int64_t> order;
      for (int64_t r = begin; r < end; ++r) {
        row.assign(from + r * size, from + (r + 1) * size);
        FindLargest(row.data(), size, k, &order);
        for (int64_t i = 0; i < k; ++i) {
          const int64_t place = order[static_cast<size_t>(i)];
          largest[r * k + i] = row[static_cast<size_t>(place)];
          places[r * k + i] = static_cast<Index>(place);
        }
      }
    });
    return OkStatus();
  }
};

// Whether fewer than k elements of the row are larger than the one at `target`. Not where that
// cannot be said: outside of the row, or where an element that counts is not finite.
bool IsInTop(const float* row, int64_t size, int64_t target, int64_t k) {
  if (target < 0 || target >= size || !std::isfinite(row[target])) return false;
  int64_t larger = 0;
  for (int64_t i = 0; i < size; ++i) {
    if (!std::isfinite(row[i])) return false;
    larger += row[i] > row[target] ? 1 : 0;
  }
  return larger < k;
}

template <typename Index>
class InTopKOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    if (construction.node.op().name != "InTopK") return OkStatus();
    ASSIGN_OR_RETURN(k_, construction.Attr<int64_t>("k"));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& predictions = context->input(0);
    const Tensor& targets = context->input(1);
    int64_t k = k_;
    if (context->num_inputs() > 2) {
      ASSIGN_OR_RETURN(k, ScalarFrom(context->input(2), "k"));
    }
    if (predictions.rank() != 2 || targets.rank() != 1 || predictions.dim(0) != targets.dim(0)) {
      return InvalidArgument("predictions must be a matrix and targets a number for each row, not ",
                             predictions.shape(), " and ", targets.shape());
    }
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, targets.shape()));
    const int64_t size = predictions.dim(1);
    for (int64_t row = 0; row < targets.num_elements(); ++row) {
      output->mutable_data<bool>()[row] =
          IsInTop(predictions.data<float>() + row * size, size,
                  static_cast<int64_t>(targets.data<Index>()[row]), k);
    }
    return OkStatus();
  }

 private:
  int64_t k_ = 0;
};

#define REGISTER_ONE(T, Index) \
  REGISTER_KERNEL(Kernel("TopKV2").OnCpu().Type<T>("T").Type<Index>("index_type"), TopKOp<T, Index>);
#define REGISTER(T) REGISTER_ONE(T, int16_t) REGISTER_ONE(T, int32_t) REGISTER_ONE(T, int64_t)
TFBUILD_NUMBER_TYPES(REGISTER)
#undef REGISTER
#undef REGISTER_ONE
#define REGISTER(T)                                                            \
  REGISTER_KERNEL(Kernel("InTopK").OnCpu().Type<T>("T"), InTopKOp<T>);         \
  REGISTER_KERNEL(Kernel("InTopKV2").OnCpu().Type<T>("T"), InTopKOp<T>);
REGISTER(int32_t)
REGISTER(int64_t)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
