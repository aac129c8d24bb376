// ScatterUpdate, ScatterAdd and the like, for references and for handles: rows of a variable change,
// those that indices name.
#include <algorithm>
#include <type_traits>

#include "graph/shape_context.h"
#include "kernels/framework/checked_indices.h"
#include "kernels/framework/functors.h"
#include "kernels/framework/locked_variables.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/state/row_updates.h"
#include "tensor/complex.h"

namespace tfbuild {

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

namespace {

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
  "{float, double, int32, uint8, int16, int8, complex64, int64, bfloat16, complex128, half, "  \
  "uint16, uint32, uint64}"
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

// One class for all types: only the loop over elements knows theirs.
class ScatterOp : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) final {
    const Tensor& indices = context->input(1);
    const Tensor& updates = context->input(2);
    ASSIGN_OR_RETURN(const LockedVariables locked, LockedVariables::Lock(context, 1));
    ASSIGN_OR_RETURN(const std::vector<Tensor*> values,
                     locked.MutableValues(context, updates.dtype()));
    Tensor* variable = values[0];
    RETURN_IF_ERROR(UpdatesFit(variable->shape(), indices.shape(), updates.shape()));
    ASSIGN_OR_RETURN(const std::vector<int64_t> rows, CheckedIndices(indices, variable->dim(0)));
    RETURN_IF_ERROR(CheckUpdates(updates));
    if (variable->num_elements() > 0 && !rows.empty()) {
      Scatter(rows, variable->num_elements() / variable->dim(0), updates, variable);
    }
    ForwardReference(context);
    return OkStatus();
  }

 private:
  virtual Status CheckUpdates(const Tensor&) const { return OkStatus(); }
  // Changes rows of `width` elements in the order of the indices, one after another: an index may
  // come twice.
  virtual void Scatter(const std::vector<int64_t>& rows, int64_t width, const Tensor& updates,
                       Tensor* variable) const = 0;
};

template <typename T, typename Change>
class ScatterOpOf final : public ScatterOp {
  Status CheckUpdates(const Tensor& updates) const override {
    if constexpr (std::is_same<Change, Div>::value && std::is_integral<T>::value) {
      const T* by = updates.data<T>();
      if (std::find(by, by + updates.num_elements(), T(0)) != by + updates.num_elements()) {
        return InvalidArgument("integer division by zero");
      }
    }
    return OkStatus();
  }

  void Scatter(const std::vector<int64_t>& rows, int64_t width, const Tensor& updates,
               Tensor* variable) const override {
    const T* by = updates.data<T>();
    const bool one_for_all = updates.rank() == 0;
    for (const int64_t row : rows) {
      T* to = variable->mutable_data<T>() + row * width;
      for (int64_t k = 0; k < width; ++k) Change::Apply(one_for_all ? *by : by[k], to + k);
      if (!one_for_all) by += width;
    }
  }
};

#define REGISTER(T, name, Change)                                                                 \
  REGISTER_KERNEL(Kernel("Scatter" name).OnCpu().Type<T>("T"), ScatterOpOf<T, Change>);           \
  REGISTER_KERNEL(Kernel("ResourceScatter" name).OnCpu().Type<T>("dtype"), ScatterOpOf<T, Change>);
#define NUMBER(T)               \
  REGISTER(T, "Update", Update) \
  REGISTER(T, "Add", Add)       \
  REGISTER(T, "Sub", Sub)       \
  REGISTER(T, "Mul", Mul)       \
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

}  // namespace
}  // namespace tfbuild
