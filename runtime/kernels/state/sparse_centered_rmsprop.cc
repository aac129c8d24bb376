// SparseApplyCenteredRMSProp, and its form for handles: one step of RMSProp by the deviation of the
// gradients on those rows of a variable and its slots that indices name.
#include <algorithm>
#include <vector>

#include "base/parallel.h"
#include "graph/shape_context.h"
#include "kernels/framework/checked_indices.h"
#include "kernels/framework/locked_variables.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/state/training_rules.h"

namespace tfbuild {
namespace {

constexpr int kVariables = 4, kGradient = 8, kIndices = 9;
constexpr int64_t kSparseCenteredRmspropGrain = 16384;  // elements that are worth a thread

Status CenteredShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const DType dtype, context->Attr<DType>("T"));
  const bool handles = context->num_outputs() == 0;
  PartialShape shape;
  for (int i = 0; i < kVariables; ++i) {
    PartialShape held = context->input(i);
    if (handles) {
      ASSIGN_OR_RETURN(held, context->variable_shape(i, dtype));
    }
    ASSIGN_OR_RETURN(shape, shape.MergeWith(held));
  }
  for (int i = kVariables; i < kGradient; ++i) RETURN_IF_ERROR(context->WithRank(i, 0).status());
  ASSIGN_OR_RETURN(const PartialShape numbers, context->WithRank(kIndices, 1));
  if (shape.known_rank()) {
    if (shape.rank() < 1) return InvalidArgument("a scalar variable has no rows");
    std::vector<int64_t> dims = shape.dims();
    dims[0] = numbers.dim(0);
    RETURN_IF_ERROR(PartialShape(std::move(dims)).MergeWith(context->input(kGradient)).status());
  }
  if (!handles) context->set_output(0, std::move(shape));
  return OkStatus();
}

#define TFBUILD_CENTERED_OP(op, kind)                                                      \
  REGISTER_OP(op)                                                                          \
      .Input("var: " kind)                                                                 \
      .Input("mg: " kind)                                                                  \
      .Input("ms: " kind)                                                                  \
      .Input("mom: " kind)                                                                 \
      .Input("lr: T")                                                                      \
      .Input("rho: T")                                                                     \
      .Input("momentum: T")                                                                \
      .Input("epsilon: T")                                                                 \
      .Input("grad: T")                                                                    \
      .Input("indices: Tindices")                                                          \
      .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, half}")        \
      .Attr("Tindices: {int32, int64}")                                                    \
      .Attr("use_locking: bool = false")                                                   \
      .ShapeFunction(CenteredShape)
TFBUILD_CENTERED_OP("SparseApplyCenteredRMSProp", "Ref(T)").Output("out: Ref(T)");
TFBUILD_CENTERED_OP("ResourceSparseApplyCenteredRMSProp", "resource").Stateful();
#undef TFBUILD_CENTERED_OP

template <typename T>
class SparseCenteredOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const LockedVariables locked, LockedVariables::Lock(context, kVariables));
    ASSIGN_OR_RETURN(const std::vector<Tensor*> values,
                     locked.MutableValues(context, DTypeOf<T>::value));
    const Shape& shape = values[0]->shape();
    RETURN_IF_ERROR(CheckInputs(*context, shape));
    ASSIGN_OR_RETURN(const std::vector<int64_t> rows,
                     CheckedIndices(context->input(kIndices), shape.dim(0)));
    const int64_t width = shape.dim(0) == 0 ? 0 : shape.num_elements() / shape.dim(0);
    const C setting[] = {ScalarInput<T>(*context, 4), ScalarInput<T>(*context, 5),
                         ScalarInput<T>(*context, 6), ScalarInput<T>(*context, 7)};
    const T* grad = context->input(kGradient).template data<T>();
    T* data[kVariables];
    for (size_t i = 0; i < values.size(); ++i) data[i] = values[i]->mutable_data<T>();
    // Threads share the columns, so that a row that is named twice takes two steps, one by one.
    const int64_t count = static_cast<int64_t>(rows.size());
    const int64_t grain = std::max<int64_t>(1, kSparseCenteredRmspropGrain / std::max<int64_t>(count, 1));
    ParallelFor(width, grain, [&](int64_t begin, int64_t end) {
      for (int64_t row = 0; row < count; ++row) {
        const int64_t start = rows[static_cast<size_t>(row)] * width;
        for (int64_t j = begin; j < end; ++j) {
          Step(setting, static_cast<C>(grad[row * width + j]), data, start + j);
        }
      }
    });
    ForwardReference(context);
    return OkStatus();
  }

 private:
  using C = ComputeTypeOf<T>;

  // One element; `setting` holds rate, decay, momentum and epsilon.
  static void Step(const C* setting, C grad, T* const* data, int64_t at) {
    C var = static_cast<C>(data[0][at]), mean = static_cast<C>(data[1][at]);
    C squares = static_cast<C>(data[2][at]), step = static_cast<C>(data[3][at]);
    mean += (grad - mean) * (C(1) - setting[1]);
    squares += (grad * grad - squares) * (C(1) - setting[1]);
    step = step * setting[2] +
           grad * setting[0] / SquareRoot(squares - mean * mean + setting[3]);
    var -= step;
    data[0][at] = T(var);
    data[1][at] = T(mean);
    data[2][at] = T(squares);
    data[3][at] = T(step);
  }

  static Status CheckInputs(const OpKernelContext& context, const Shape& shape) {
    const Tensor& indices = context.input(kIndices);
    if (indices.rank() != 1) {
      return InvalidArgument("indices must be a vector, but their shape is ", indices.shape());
    }
    if (shape.rank() < 1) return InvalidArgument("a scalar variable has no rows");
    std::vector<int64_t> dims = shape.dims();
    dims[0] = indices.dim(0);
    ASSIGN_OR_RETURN(const Shape expected, Shape::Make(std::move(dims)));
    if (context.input(kGradient).shape() != expected) {
      return InvalidArgument("grad must have the shape ", expected, " of rows of the variable, not ",
                             context.input(kGradient).shape());
    }
    for (int i = kVariables; i < kGradient; ++i) RETURN_IF_ERROR(CheckScalarInput(context, i));
    return OkStatus();
  }
};

#define REGISTER(T)                                                                   \
  REGISTER_KERNEL(Kernel("SparseApplyCenteredRMSProp").OnCpu().Type<T>("T"),          \
                  SparseCenteredOp<T>);                                               \
  REGISTER_KERNEL(Kernel("ResourceSparseApplyCenteredRMSProp").OnCpu().Type<T>("T"),  \
                  SparseCenteredOp<T>);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
