// SparseApplyMomentum, SparseApplyAdagrad, SparseApplyRMSProp and their forms for handles: one step
// of an optimiser on those rows of a variable and its slots that indices name.
#include "kernels/state/optimizer_op.h"
#include "kernels/state/row_updates.h"
#include "kernels/state/training_loops.h"

namespace tfbuild {

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

template <template <typename> class Optimizer>
Status SparseShape(ShapeContext* context) {
  return OptimizerShape(context, InputsOf<Optimizer<float>>(true));
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

template <typename T, typename Optimizer>
class SparseApplyOp final : public OptimizerOp {
 public:
  SparseApplyOp() : OptimizerOp(InputsOf<Optimizer>(true)) {}

 private:
  // One row after another: an index may come twice.
  void Apply(const OpKernelContext& context, const std::vector<Tensor*>& values,
             const std::vector<int64_t>& rows) const override {
    if (rows.empty() || values[0]->num_elements() == 0) return;
    const auto rule = Optimizer::MakeRule(context, flag());
    const int64_t width = values[0]->num_elements() / values[0]->dim(0);
    const T* grad = Gradient(context).template data<T>();
    for (const int64_t row : rows) {
      T* data[3] = {};
      for (size_t k = 0; k < values.size(); ++k) {
        data[k] = values[k]->mutable_data<T>() + row * width;
      }
      ApplyRule(rule, width, grad, data);
      grad += width;
    }
  }
};

#define REGISTER_ONE(op, T, Optimizer) \
  REGISTER_KERNEL(Kernel(op).OnCpu().Type<T>("T"), SparseApplyOp<T, Optimizer<T>>);
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

}  // namespace
}  // namespace tfbuild
