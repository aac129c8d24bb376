// SparseApplyMomentum, SparseApplyAdagrad, SparseApplyRMSProp and SparseApplyCenteredRMSProp: one
// step of an optimiser on those rows of a variable that a gradient names. Other rows, and their
// slots, stay as they are.
#include <algorithm>
#include <utility>

#include "base/parallel.h"
#include "graph/shape_context.h"
#include "kernels/framework/checked_indices.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/state/locked_variables.h"
#include "kernels/state/training_rules.h"

namespace tfbuild {
namespace {

constexpr int64_t kGrain = 16384;  // elements that are worth a thread

// Variables agree in shape, which is that of the output; a row of the gradient is one of theirs.
Status SparseApplyShape(ShapeContext* context, int variables, int gradient, int indices) {
  PartialShape shape = context->input(0);
  for (int i = 1; i < context->num_inputs(); ++i) {
    if (i < variables) {
      ASSIGN_OR_RETURN(shape, shape.MergeWith(context->input(i)));
    } else if (i != gradient && i != indices) {
      RETURN_IF_ERROR(context->WithRank(i, 0).status());
    }
  }
  ASSIGN_OR_RETURN(const PartialShape numbers, context->WithRank(indices, 1));
  const PartialShape& rows = context->input(gradient);
  if (shape.known_rank()) {
    if (shape.rank() < 1) return InvalidArgument("a scalar variable has no rows");
    std::vector<int64_t> dims = shape.dims();
    dims[0] = numbers.dim(0);
    RETURN_IF_ERROR(PartialShape(std::move(dims)).MergeWith(rows).status());
  }
  context->set_output(0, std::move(shape));
  return OkStatus();
}

// The same for variables behind handles.
Status SparseApplyHandles(ShapeContext* context, int variables, int gradient, int indices) {
  for (int i = variables; i < context->num_inputs(); ++i) {
    if (i != gradient && i != indices) RETURN_IF_ERROR(context->WithRank(i, 0).status());
  }
  return context->WithRank(indices, 1).status();
}

#define TFBUILD_SPARSE_TRAINING_TYPES \
  "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, half}"

REGISTER_OP("SparseApplyMomentum")
    .Input("var: Ref(T)")
    .Input("accum: Ref(T)")
    .Input("lr: T")
    .Input("grad: T")
    .Input("indices: Tindices")
    .Input("momentum: T")
    .Output("out: Ref(T)")
    .Attr(TFBUILD_SPARSE_TRAINING_TYPES)
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = false")
    .Attr("use_nesterov: bool = false")
    .ShapeFunction([](ShapeContext* context) { return SparseApplyShape(context, 2, 3, 4); });

REGISTER_OP("ResourceSparseApplyMomentum")
    .Input("var: resource")
    .Input("accum: resource")
    .Input("lr: T")
    .Input("grad: T")
    .Input("indices: Tindices")
    .Input("momentum: T")
    .Attr(TFBUILD_SPARSE_TRAINING_TYPES)
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = false")
    .Attr("use_nesterov: bool = false")
    .Stateful()
    .ShapeFunction([](ShapeContext* context) { return SparseApplyHandles(context, 2, 3, 4); });

REGISTER_OP("SparseApplyAdagrad")
    .Input("var: Ref(T)")
    .Input("accum: Ref(T)")
    .Input("lr: T")
    .Input("grad: T")
    .Input("indices: Tindices")
    .Output("out: Ref(T)")
    .Attr(TFBUILD_SPARSE_TRAINING_TYPES)
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = false")
    .Attr("update_slots: bool = true")
    .ShapeFunction([](ShapeContext* context) { return SparseApplyShape(context, 2, 3, 4); });

REGISTER_OP("ResourceSparseApplyAdagrad")
    .Input("var: resource")
    .Input("accum: resource")
    .Input("lr: T")
    .Input("grad: T")
    .Input("indices: Tindices")
    .Attr(TFBUILD_SPARSE_TRAINING_TYPES)
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = false")
    .Attr("update_slots: bool = true")
    .Stateful()
    .ShapeFunction([](ShapeContext* context) { return SparseApplyHandles(context, 2, 3, 4); });

REGISTER_OP("SparseApplyRMSProp")
    .Input("var: Ref(T)")
    .Input("ms: Ref(T)")
    .Input("mom: Ref(T)")
    .Input("lr: T")
    .Input("rho: T")
    .Input("momentum: T")
    .Input("epsilon: T")
    .Input("grad: T")
    .Input("indices: Tindices")
    .Output("out: Ref(T)")
    .Attr(TFBUILD_SPARSE_TRAINING_TYPES)
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = false")
    .ShapeFunction([](ShapeContext* context) { return SparseApplyShape(context, 3, 7, 8); });

REGISTER_OP("ResourceSparseApplyRMSProp")
    .Input("var: resource")
    .Input("ms: resource")
    .Input("mom: resource")
    .Input("lr: T")
    .Input("rho: T")
    .Input("momentum: T")
    .Input("epsilon: T")
    .Input("grad: T")
    .Input("indices: Tindices")
    .Attr(TFBUILD_SPARSE_TRAINING_TYPES)
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = false")
    .Stateful()
    .ShapeFunction([](ShapeContext* context) { return SparseApplyHandles(context, 3, 7, 8); });

REGISTER_OP("SparseApplyCenteredRMSProp")
    .Input("var: Ref(T)")
    .Input("mg: Ref(T)")
    .Input("ms: Ref(T)")
    .Input("mom: Ref(T)")
    .Input("lr: T")
    .Input("rho: T")
    .Input("momentum: T")
    .Input("epsilon: T")
    .Input("grad: T")
    .Input("indices: Tindices")
    .Output("out: Ref(T)")
    .Attr(TFBUILD_SPARSE_TRAINING_TYPES)
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = false")
    .ShapeFunction([](ShapeContext* context) { return SparseApplyShape(context, 4, 8, 9); });

REGISTER_OP("ResourceSparseApplyCenteredRMSProp")
    .Input("var: resource")
    .Input("mg: resource")
    .Input("ms: resource")
    .Input("mom: resource")
    .Input("lr: T")
    .Input("rho: T")
    .Input("momentum: T")
    .Input("epsilon: T")
    .Input("grad: T")
    .Input("indices: Tindices")
    .Attr(TFBUILD_SPARSE_TRAINING_TYPES)
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = false")
    .Stateful()
    .ShapeFunction([](ShapeContext* context) { return SparseApplyHandles(context, 4, 8, 9); });

// Which inputs a sparse op has, as training_rules.h says it for the dense ones.
template <typename T>
struct SparseMomentum {
  static constexpr int kVariables = 2, kGradient = 3, kIndices = 4;
  static constexpr const char* kFlag = "use_nesterov";
  static MomentumRule<ComputeTypeOf<T>> MakeRule(const OpKernelContext& context, bool flag) {
    return {ScalarInput<T>(context, 2), ScalarInput<T>(context, 5), flag};
  }
};

template <typename T>
struct SparseAdagrad : Adagrad<T> {
  static constexpr int kIndices = 4;
};

template <typename T>
struct SparseRmsProp : RmsProp<T> {
  static constexpr int kIndices = 8;
};

template <typename C>
struct CenteredRmsPropRule {
  C lr;
  C rho;
  C momentum;
  C epsilon;
  TFBUILD_ALWAYS_INLINE void operator()(C grad, C* var, C* mg, C* ms, C* mom) const {
    *ms += (grad * grad - *ms) * (C(1) - rho);
    *mg += (grad - *mg) * (C(1) - rho);
    *mom = *mom * momentum + grad * lr / SquareRoot(*ms - *mg * *mg + epsilon);
    *var -= *mom;
  }
};

template <typename T>
struct SparseCenteredRmsProp {
  static constexpr int kVariables = 4, kGradient = 8, kIndices = 9;
  static constexpr const char* kFlag = nullptr;
  static CenteredRmsPropRule<ComputeTypeOf<T>> MakeRule(const OpKernelContext& context, bool) {
    return {ScalarInput<T>(context, 4), ScalarInput<T>(context, 5), ScalarInput<T>(context, 6),
            ScalarInput<T>(context, 7)};
  }
};

// One step on element `at` of the variable and its slots.
template <typename T, typename Rule, size_t... kSlot>
TFBUILD_ALWAYS_INLINE void StepElement(const Rule& rule, T grad, T* const* data, int64_t at,
                                       std::index_sequence<kSlot...>) {
  using C = ComputeTypeOf<T>;
  C values[] = {static_cast<C>(data[kSlot][at])...};
  rule(static_cast<C>(grad), &values[kSlot]...);
  ((data[kSlot][at] = T(values[kSlot])), ...);
}

template <typename T, typename Optimizer>
class SparseApplyOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    if (Optimizer::kFlag != nullptr) {
      ASSIGN_OR_RETURN(flag_, construction.Attr<bool>(Optimizer::kFlag));
    }
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    constexpr int kVariables = Optimizer::kVariables;
    ASSIGN_OR_RETURN(const LockedVariables locked, LockedVariables::Lock(context, kVariables));
    ASSIGN_OR_RETURN(const std::vector<Tensor*> values,
                     locked.MutableValues(context, DTypeOf<T>::value));
    const Shape& shape = values[0]->shape();
    RETURN_IF_ERROR(CheckInputs(*context, shape));
    ASSIGN_OR_RETURN(const std::vector<int64_t> rows,
                     CheckedIndices(context->input(Optimizer::kIndices), shape.dim(0)));
    const auto rule = Optimizer::MakeRule(*context, flag_);
    const T* grad = context->input(Optimizer::kGradient).template data<T>();
    T* data[kVariables] = {};
    for (size_t i = 0; i < values.size(); ++i) data[i] = values[i]->mutable_data<T>();
    const int64_t width = shape.dim(0) == 0 ? 0 : shape.num_elements() / shape.dim(0);
    // Threads share the columns, so that a row that is named twice takes two steps, one by one.
    const int64_t count = static_cast<int64_t>(rows.size());
    const int64_t grain = std::max<int64_t>(1, kGrain / std::max<int64_t>(count, 1));
    ParallelFor(width, grain, [&](int64_t begin, int64_t end) {
      for (int64_t row = 0; row < count; ++row) {
        const int64_t start = rows[static_cast<size_t>(row)] * width;
        for (int64_t j = begin; j < end; ++j) {
          StepElement(rule, grad[row * width + j], data, start + j,
                      std::make_index_sequence<kVariables>());
        }
      }
    });
    ForwardReference(context);
    return OkStatus();
  }

 private:
  static Status CheckInputs(const OpKernelContext& context, const Shape& shape) {
    const Tensor& indices = context.input(Optimizer::kIndices);
    if (indices.rank() != 1) {
      return InvalidArgument("indices must be one-dimensional, but their shape is ",
                             indices.shape());
    }
    if (shape.rank() < 1) return InvalidArgument("a scalar variable has no rows");
    std::vector<int64_t> dims = shape.dims();
    dims[0] = indices.dim(0);
    ASSIGN_OR_RETURN(const Shape expected, Shape::Make(std::move(dims)));
    for (int i = Optimizer::kVariables; i < context.num_inputs(); ++i) {
      if (i == Optimizer::kGradient) {
        if (context.input(i).shape() == expected) continue;
        return InvalidArgument("grad must have the shape ", expected, " of rows of the variable, "
                               "not ", context.input(i).shape());
      }
      if (i != Optimizer::kIndices) RETURN_IF_ERROR(CheckScalarInput(context, i));
    }
    return OkStatus();
  }

  bool flag_ = false;
};

#define REGISTER_ONE(op, T, Optimizer)                                                   \
  REGISTER_KERNEL(Kernel(op).OnCpu().Type<T>("T"), SparseApplyOp<T, Optimizer<T>>);      \
  REGISTER_KERNEL(Kernel("Resource" op).OnCpu().Type<T>("T"), SparseApplyOp<T, Optimizer<T>>);
#define REGISTER(T)                                                    \
  REGISTER_ONE("SparseApplyMomentum", T, SparseMomentum)               \
  REGISTER_ONE("SparseApplyAdagrad", T, SparseAdagrad)                 \
  REGISTER_ONE("SparseApplyRMSProp", T, SparseRmsProp)                 \
  REGISTER_ONE("SparseApplyCenteredRMSProp", T, SparseCenteredRmsProp)
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER
#undef REGISTER_ONE

}  // namespace
}  // namespace tfbuild
