// ScatterUpdate, ScatterAdd and the like, for references and for handles: rows of a variable change,
// those that indices name.
#include <algorithm>
#include <type_traits>

#include "graph/shape_context.h"
#include "kernels/framework/functors.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/state/locked_variables.h"

namespace tfbuild {
namespace {

// A row of updates for each index, or one scalar for all.
Status UpdatesFit(const PartialShape& variable, const PartialShape& indices,
                  const PartialShape& updates) {
  if (!variable.known_rank() || !indices.known_rank() || !updates.known_rank()) return OkStatus();
  if (variable.rank() < 1) return InvalidArgument("a scalar variable has no rows");
  if (updates.rank() == 0) return OkStatus();
  std::vector<int64_t> dims = indices.dims();
  dims.insert(dims.end(), variable.dims().begin() + 1, variable.dims().end());
  if (PartialShape(dims).CompatibleWith(updates)) return OkStatus();
  return InvalidArgument("Must have updates.shape = indices.shape + params.shape[1:] or "
                         "updates.shape = [], got updates.shape ", updates, ", indices.shape ",
                         indices, ", params.shape ", variable);
}

Status ReferenceShape(ShapeContext* context) {
  RETURN_IF_ERROR(UpdatesFit(context->input(0), context->input(1), context->input(2)));
  context->set_output(0, context->input(0));
  return OkStatus();
}

Status HandleShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const DType dtype, context->Attr<DType>("dtype"));
  ASSIGN_OR_RETURN(const PartialShape variable, context->variable_shape(0, dtype));
  return UpdatesFit(variable, context->input(1), context->input(2));
}

#define TFBUILD_SCATTER_OP(op, types, locking)     \
  REGISTER_OP(op)                                  \
      .Input("ref: Ref(T)")                        \
      .Input("indices: Tindices")                  \
      .Input("updates: T")                         \
      .Output("output_ref: Ref(T)")                \
      .Attr("T: " types)                           \
      .Attr("Tindices: {int32, int64}")            \
      .Attr("use_locking: bool = " locking)        \
      .ShapeFunction(ReferenceShape);
#define TFBUILD_RESOURCE_SCATTER_OP(op, types)     \
  REGISTER_OP(op)                                  \
      .Input("resource: resource")                 \
      .Input("indices: Tindices")                  \
      .Input("updates: dtype")                     \
      .Attr("dtype: " types)                       \
      .Attr("Tindices: {int32, int64}")            \
      .Stateful()                                  \
      .ShapeFunction(HandleShape);
#define NUMBERS                                                                               \
  "{float, double, int32, uint8, int16, int8, complex64, int64, bfloat16, complex128, half}"
#define ORDERED "{half, bfloat16, float, double, int32, int64}"
TFBUILD_SCATTER_OP("ScatterUpdate", "type", "true")
TFBUILD_SCATTER_OP("ScatterAdd", NUMBERS, "false")
TFBUILD_SCATTER_OP("ScatterSub", NUMBERS, "false")
TFBUILD_SCATTER_OP("ScatterMul", NUMBERS, "false")
TFBUILD_SCATTER_OP("ScatterDiv", NUMBERS, "false")
TFBUILD_SCATTER_OP("ScatterMin", ORDERED, "false")
TFBUILD_SCATTER_OP("ScatterMax", ORDERED, "false")
TFBUILD_RESOURCE_SCATTER_OP("ResourceScatterUpdate", "type")
TFBUILD_RESOURCE_SCATTER_OP("ResourceScatterAdd", NUMBERS)
TFBUILD_RESOURCE_SCATTER_OP("ResourceScatterSub", NUMBERS)
TFBUILD_RESOURCE_SCATTER_OP("ResourceScatterMul", NUMBERS)
TFBUILD_RESOURCE_SCATTER_OP("ResourceScatterDiv", NUMBERS)
TFBUILD_RESOURCE_SCATTER_OP("ResourceScatterMin", NUMBERS)
TFBUILD_RESOURCE_SCATTER_OP("ResourceScatterMax", NUMBERS)
#undef TFBUILD_SCATTER_OP
#undef TFBUILD_RESOURCE_SCATTER_OP
#undef NUMBERS
#undef ORDERED

// What becomes of an element.
struct Update {
  template <typename T>
  static void Apply(const T& by, T* to) { *to = by; }
};
// Integers wrap around.
template <typename Functor>
struct Arithmetic {
  template <typename T>
  static void Apply(const T& by, T* to) {
    using C = ComputeTypeOf<T>;
    *to = static_cast<T>(Functor::Apply(C(*to), C(by)));
  }
};
using Add = Arithmetic<functor::Add>;
using Sub = Arithmetic<functor::Sub>;
using Mul = Arithmetic<functor::Mul>;
struct Div {
  // Integers are checked to be no zero; the lowest one by -1 wraps round instead of a trap.
  template <typename T>
  static void Apply(const T& by, T* to) {
    if constexpr (std::is_integral<T>::value) {
      *to = by == T(-1) && std::is_signed<T>::value ? static_cast<T>(T(0) - static_cast<uint64_t>(*to))
                                                    : static_cast<T>(*to / by);
    } else {
      *to = static_cast<T>(*to / by);
    }
  }
};
struct Min {
  template <typename T>
  static void Apply(const T& by, T* to) { *to = by < *to ? by : *to; }
};
struct Max {
  template <typename T>
  static void Apply(const T& by, T* to) { *to = *to < by ? by : *to; }
};

template <typename T, typename Index, typename Change>
class ScatterOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& indices = context->input(1);
    const Tensor& updates = context->input(2);
    ASSIGN_OR_RETURN(const LockedVariables locked, LockedVariables::Lock(context, 1));
    if (locked[0]->value.initialized()) {
      RETURN_IF_ERROR(UpdatesFit(PartialShape(locked[0]->value.shape()),
                                 PartialShape(indices.shape()), PartialShape(updates.shape())));
      RETURN_IF_ERROR(CheckValues(locked[0]->value, indices, updates));
    }
    ASSIGN_OR_RETURN(const std::vector<Tensor*> values,
                     locked.MutableValues(context, DTypeOf<T>::value));
    Scatter(indices, updates, values[0]);
    ForwardReference(context);
    return OkStatus();
  }

 private:
  static Status CheckValues(const Tensor& variable, const Tensor& indices, const Tensor& updates) {
    const Index* index = indices.data<Index>();
    for (int64_t i = 0; i < indices.num_elements(); ++i) {
      if (index[i] >= 0 && static_cast<int64_t>(index[i]) < variable.dim(0)) continue;
      return InvalidArgument("indices[", i, "] = ", static_cast<int64_t>(index[i]),
                             " is not in [0, ", variable.dim(0), ")");
    }
    if constexpr (std::is_same<Change, Div>::value && std::is_integral<T>::value) {
      const T* by = updates.data<T>();
      if (std::find(by, by + updates.num_elements(), T(0)) != by + updates.num_elements()) {
        return InvalidArgument("integer division by zero");
      }
    }
    return OkStatus();
  }

  // In the order of the indices, one after another: an index may come twice.
  static void Scatter(const Tensor& indices, const Tensor& updates, Tensor* variable) {
    if (variable->num_elements() == 0 || indices.num_elements() == 0) return;
    const int64_t row = variable->num_elements() / variable->dim(0);
    const Index* index = indices.data<Index>();
    const T* by = updates.data<T>();
    const bool one_for_all = updates.rank() == 0;
    for (int64_t i = 0; i < indices.num_elements(); ++i) {
      T* to = variable->mutable_data<T>() + static_cast<int64_t>(index[i]) * row;
      for (int64_t k = 0; k < row; ++k) Change::Apply(one_for_all ? *by : by[i * row + k], to + k);
    }
  }
};

#define REGISTER_INDEX(T, Index, name, Change)                                                   \
  REGISTER_KERNEL(Kernel("Scatter" name).OnCpu().Type<T>("T").Type<Index>("Tindices"),           \
                  ScatterOp<T, Index, Change>);                                                  \
  REGISTER_KERNEL(Kernel("ResourceScatter" name).OnCpu().Type<T>("dtype").Type<Index>("Tindices"), \
                  ScatterOp<T, Index, Change>);
#define REGISTER(T, name, Change)          \
  REGISTER_INDEX(T, int32_t, name, Change) \
  REGISTER_INDEX(T, int64_t, name, Change)
#define NUMBER(T)            \
  REGISTER(T, "Update", Update) \
  REGISTER(T, "Add", Add)    \
  REGISTER(T, "Sub", Sub)    \
  REGISTER(T, "Mul", Mul)    \
  REGISTER(T, "Div", Div)
#define ORDERED(T)           \
  REGISTER(T, "Min", Min)    \
  REGISTER(T, "Max", Max)
TFBUILD_NUMBER_TYPES(NUMBER)
TFBUILD_COMPLEX_TYPES(NUMBER)
TFBUILD_ARITHMETIC_TYPES(ORDERED)
REGISTER(bool, "Update", Update)
REGISTER(std::string, "Update", Update)
#undef NUMBER
#undef ORDERED
#undef REGISTER
#undef REGISTER_INDEX

}  // namespace
}  // namespace tfbuild
