// SparseApplyMomentum, SparseApplyAdagrad, SparseApplyRMSProp and their forms for handles: one step
// of an optimiser on those rows of a variable and its slots that indices name.
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/state/locked_variables.h"
#include "kernels/state/training_loops.h"
#include "kernels/state/training_rules.h"

namespace tfbuild {
namespace {

// As the dense op of that name, but for the indices, which come behind the gradient.
template <typename T>
struct SparseMomentum : Momentum<T> {
  using C = ComputeTypeOf<T>;
  static MomentumRule<C> MakeRule(const OpKernelContext& context, bool flag) {
    return {ScalarInput<T>(context, 2), ScalarInput<T>(context, 5), flag};
  }
};
template <typename T>
struct SparseKerasMomentum : Momentum<T> {
  using C = ComputeTypeOf<T>;
  static KerasMomentumRule<C> MakeRule(const OpKernelContext& context, bool flag) {
    return {ScalarInput<T>(context, 2), ScalarInput<T>(context, 5), flag};
  }
};

// A row of the gradient for each index.
Status GradientFits(const PartialShape& variable, const PartialShape& indices,
                    const PartialShape& gradient) {
  if (indices.known_rank() && indices.rank() != 1) {
    return InvalidArgument("indices must be a vector, but their shape is ", indices);
  }
  if (!variable.known_rank() || !indices.known_rank()) return OkStatus();
  if (variable.rank() < 1) return InvalidArgument("a scalar variable has no rows");
  std::vector<int64_t> dims = variable.dims();
  dims[0] = indices.dim(0);
  if (PartialShape(dims).CompatibleWith(gradient)) return OkStatus();
  return InvalidArgument("a gradient of shape ", gradient, " does not fit ", indices.dim(0),
                         " rows of a variable of shape ", variable);
}

template <template <typename> class Optimizer>
Status SparseShape(ShapeContext* context) {
  constexpr int kVariables = Optimizer<float>::kVariables;
  constexpr int kGradient = Optimizer<float>::kGradient;
  ASSIGN_OR_RETURN(const DType dtype, context->Attr<DType>("T"));
  const bool handles = context->num_outputs() == 0;
  PartialShape shape;
  for (int i = 0; i < context->num_inputs(); ++i) {
    if (i < kVariables) {
      PartialShape held = context->input(i);
      if (handles) {
        ASSIGN_OR_RETURN(held, context->variable_shape(i, dtype));
      }
      ASSIGN_OR_RETURN(shape, shape.MergeWith(held));
    } else if (i != kGradient && i != kGradient + 1) {
      RETURN_IF_ERROR(context->WithRank(i, 0).status());
    }
  }
  RETURN_IF_ERROR(GradientFits(shape, context->input(kGradient + 1), context->input(kGradient)));
  if (!handles) context->set_output(0, std::move(shape));
  return OkStatus();
}

// The definition of an optimiser's op, without its inputs.
#define TFBUILD_SPARSE_OP(op, Optimizer)                                                       \
  REGISTER_OP(op)                                                                              \
      .Attr("T: {float, double, int32, uint8, int16, int8, complex64, int64, bfloat16, complex128, " \
            "half}")                                                                           \
      .Attr("Tindices: {int32, int64}")                                                        \
      .Attr("use_locking: bool = false")                                                       \
      .ShapeFunction(SparseShape<Optimizer>)
#define TWO_VARIABLES(kind) .Input("var: " kind).Input("accum: " kind).Input("lr: T")
#define MOMENTUM \
  .Input("grad: T").Input("indices: Tindices").Input("momentum: T").Attr("use_nesterov: bool = false")
#define ADAGRAD .Input("grad: T").Input("indices: Tindices").Attr("update_slots: bool = true")
#define RMSPROP(kind)                                                                     \
  .Input("var: " kind).Input("ms: " kind).Input("mom: " kind).Input("lr: T")              \
      .Input("rho: T").Input("momentum: T").Input("epsilon: T").Input("grad: T")          \
      .Input("indices: Tindices")
TFBUILD_SPARSE_OP("SparseApplyMomentum", SparseMomentum)
    TWO_VARIABLES("Ref(T)") MOMENTUM.Output("out: Ref(T)");
TFBUILD_SPARSE_OP("ResourceSparseApplyMomentum", SparseMomentum)
    TWO_VARIABLES("resource") MOMENTUM.Stateful();
TFBUILD_SPARSE_OP("ResourceSparseApplyKerasMomentum", SparseKerasMomentum)
    TWO_VARIABLES("resource") MOMENTUM.Stateful();
TFBUILD_SPARSE_OP("SparseApplyAdagrad", Adagrad)
    TWO_VARIABLES("Ref(T)") ADAGRAD.Output("out: Ref(T)");
TFBUILD_SPARSE_OP("ResourceSparseApplyAdagrad", Adagrad)
    TWO_VARIABLES("resource") ADAGRAD.Stateful();
TFBUILD_SPARSE_OP("ResourceSparseApplyAdagradV2", AdagradV2)
    TWO_VARIABLES("resource").Input("epsilon: T") ADAGRAD.Stateful();
TFBUILD_SPARSE_OP("SparseApplyRMSProp", RmsProp) RMSPROP("Ref(T)").Output("out: Ref(T)");
TFBUILD_SPARSE_OP("ResourceSparseApplyRMSProp", RmsProp) RMSPROP("resource").Stateful();
#undef TFBUILD_SPARSE_OP
#undef TWO_VARIABLES
#undef MOMENTUM
#undef ADAGRAD
#undef RMSPROP

template <typename T, typename Index, typename Optimizer>
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
    const Tensor& gradient = context->input(Optimizer::kGradient);
    const Tensor& indices = context->input(Optimizer::kGradient + 1);
    ASSIGN_OR_RETURN(const LockedVariables locked, LockedVariables::Lock(context, kVariables));
    ASSIGN_OR_RETURN(const std::vector<Tensor*> values,
                     locked.MutableValues(context, DTypeOf<T>::value));
    const Shape& shape = values[0]->shape();
    RETURN_IF_ERROR(GradientFits(PartialShape(shape), PartialShape(indices.shape()),
                                 PartialShape(gradient.shape())));
    for (int i = kVariables; i < context->num_inputs(); ++i) {
      const bool scalar = i != Optimizer::kGradient && i != Optimizer::kGradient + 1;
      if (scalar) RETURN_IF_ERROR(CheckScalarInput(*context, i));
    }
    const Index* index = indices.data<Index>();
    for (int64_t i = 0; i < indices.num_elements(); ++i) {
      if (index[i] >= 0 && static_cast<int64_t>(index[i]) < shape.dim(0)) continue;
      return InvalidArgument("Index ", static_cast<int64_t>(index[i]), " at offset ", i,
                             " in indices is out of range [0, ", shape.dim(0), ")");
    }
    Apply(Optimizer::MakeRule(*context, flag_), indices, gradient.data<T>(), values);
    ForwardReference(context);
    return OkStatus();
  }

 private:
  // One row after another: an index may come twice.
  template <typename Rule>
  static void Apply(const Rule& rule, const Tensor& indices, const T* gradient,
                    const std::vector<Tensor*>& values) {
    if (indices.num_elements() == 0 || values[0]->num_elements() == 0) return;
    const int64_t row = values[0]->num_elements() / values[0]->dim(0);
    for (int64_t i = 0; i < indices.num_elements(); ++i) {
      const int64_t at = static_cast<int64_t>(indices.data<Index>()[i]) * row;
      T* data[3] = {};
      for (size_t k = 0; k < values.size(); ++k) data[k] = values[k]->mutable_data<T>() + at;
      const T* by = gradient + i * row;
      if constexpr (Optimizer::kVariables == 2) ApplyRule(rule, 0, row, by, data[0], data[1]);
      if constexpr (Optimizer::kVariables == 3) {
        ApplyRule(rule, 0, row, by, data[0], data[1], data[2]);
      }
    }
  }
  bool flag_ = false;
};

#define REGISTER_INDEX(op, T, Index, Optimizer)                                       \
  REGISTER_KERNEL(Kernel(op).OnCpu().Type<T>("T").Type<Index>("Tindices"),            \
                  SparseApplyOp<T, Index, Optimizer<T>>);
#define REGISTER_ONE(op, T, Optimizer)         \
  REGISTER_INDEX(op, T, int32_t, Optimizer)    \
  REGISTER_INDEX(op, T, int64_t, Optimizer)
#define REGISTER(T)                                                              \
  REGISTER_ONE("SparseApplyMomentum", T, SparseMomentum)                         \
  REGISTER_ONE("ResourceSparseApplyMomentum", T, SparseMomentum)                 \
  REGISTER_ONE("ResourceSparseApplyKerasMomentum", T, SparseKerasMomentum)       \
  REGISTER_ONE("SparseApplyAdagrad", T, Adagrad)                                 \
  REGISTER_ONE("ResourceSparseApplyAdagrad", T, Adagrad)                         \
  REGISTER_ONE("ResourceSparseApplyAdagradV2", T, AdagradV2)                     \
  REGISTER_ONE("SparseApplyRMSProp", T, RmsProp)                                 \
  REGISTER_ONE("ResourceSparseApplyRMSProp", T, RmsProp)
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER
#undef REGISTER_ONE
#undef REGISTER_INDEX

}  // namespace
}  // namespace tfbuild
