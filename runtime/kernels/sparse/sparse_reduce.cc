// SparseReduceSum, SparseReduceMax and their Sparse forms: reductions of the elements that are there.
#include <map>

#include "base/parallel_fill.h"
#include "base/stop_look.h"
#include "kernels/framework/element_moves.h"
#include "kernels/framework/functors.h"
#include "kernels/sparse/sparse_input.h"
#include "tensor/complex.h"

namespace tfbuild {
namespace {

// Which axes of a sparse tensor go, and which stay.
struct ReducedAxes {
  std::vector<bool> goes;
  bool keep_dims = false;

  static Result<ReducedAxes> Make(const std::vector<int64_t>& axes, size_t rank, bool keep_dims) {
    ReducedAxes made{std::vector<bool>(rank, false), keep_dims};
    for (const int64_t given : axes) {
      const int64_t axis = given < 0 ? given + static_cast<int64_t>(rank) : given;
      if (axis < 0 || axis >= static_cast<int64_t>(rank)) {
        return InvalidArgument("Invalid reduction dimension ", given, ", for input with ", rank,
                               " dimension(s)");
      }
      made.goes[static_cast<size_t>(axis)] = true;
    }
    return made;
  }
  // What is left of dimensions (`one` for an axis that is kept) or of a place.
  std::vector<int64_t> Left(const int64_t* values, int64_t one) const {
    std::vector<int64_t> left;
    for (size_t k = 0; k < goes.size(); ++k) {
      if (!goes[k]) left.push_back(values[k]);
      if (goes[k] && keep_dims) left.push_back(one);
    }
    return left;
  }
};

Status SparseReduceShape(ShapeContext* context) {
  RETURN_IF_ERROR(CheckSparseShapes(context, 0));
  ASSIGN_OR_RETURN(const bool keep_dims, context->Attr<bool>("keep_dims"));
  ASSIGN_OR_RETURN(const PartialShape shape, context->input_as_shape(2));
  ASSIGN_OR_RETURN(const auto axes, KnownInts(*context, 3));
  if (!shape.known_rank() || !axes) return OkStatus();
  ASSIGN_OR_RETURN(const ReducedAxes reduced,
                   ReducedAxes::Make(*axes, shape.dims().size(), keep_dims));
  context->set_output(0, PartialShape(reduced.Left(shape.dims().data(), 1)));
  return OkStatus();
}

Status SparseReduceSparseShape(ShapeContext* context) {
  RETURN_IF_ERROR(CheckSparseShapes(context, 0));
  SetSparseShapes(context, 0, kUnknownDim);
  return OkStatus();
}

#define DEFINE(name, types)               \
  REGISTER_OP(name)                       \
      .Input("input_indices: int64")      \
      .Input("input_values: T")           \
      .Input("input_shape: int64")        \
      .Input("reduction_axes: int32")     \
      .Output("output: T")                \
      .Attr("keep_dims: bool = false")    \
      .Attr("T: " types)                  \
      .ShapeFunction(SparseReduceShape)
#define TFBUILD_SPARSE_DEFINITION(name, types) \
  REGISTER_OP(name)                       \
      .Input("input_indices: int64")      \
      .Input("input_values: T")           \
      .Input("input_shape: int64")        \
      .Input("reduction_axes: int32")     \
      .Output("output_indices: int64")    \
      .Output("output_values: T")         \
      .Output("output_shape: int64")      \
      .Attr("keep_dims: bool = false")    \
      .Attr("T: " types)                  \
      .ShapeFunction(SparseReduceSparseShape)
#define NUMBERS "{float, double, int32, uint8, int16, int8, complex64, int64, bfloat16, " \
                "complex128, half, uint16, uint32, uint64}"
#define REAL_NUMBERS "{float, double, int32, uint8, int16, int8, int64, bfloat16, half, " \
                     "uint16, uint32, uint64}"
DEFINE("SparseReduceSum", NUMBERS);
DEFINE("SparseReduceMax", REAL_NUMBERS);
TFBUILD_SPARSE_DEFINITION("SparseReduceSumSparse", NUMBERS);
TFBUILD_SPARSE_DEFINITION("SparseReduceMaxSparse", REAL_NUMBERS);
#undef TFBUILD_SPARSE_DEFINITION
#undef NUMBERS
#undef REAL_NUMBERS
#undef DEFINE

struct SumUp {
  template <typename T>
  static T Apply(const T& a, const T& b) { return functor::Add::Apply(a, b); }
};
struct Larger {
  template <typename T>
  static T Apply(const T& a, const T& b) {
    return static_cast<ComputeTypeOf<T>>(a) < static_cast<ComputeTypeOf<T>>(b) ? b : a;
  }
};

// The places of the reduced elements in order, and which of them each element goes to.
struct Groups {
  SparsePlaces places;
  std::vector<int64_t> of;

  Groups(const SparsePlaces& whole, const ReducedAxes& reduced) {
    places.dims = reduced.Left(whole.dims.data(), 1);
    std::map<std::vector<int64_t>, int64_t> numbers;  // in the order in which they come up
    StopLook look;
    for (int64_t i = 0; i < whole.count; ++i) {
      look.Turn();
      const int64_t next = static_cast<int64_t>(numbers.size());
      of.push_back(numbers.emplace(reduced.Left(whole.row(i), 0), next).first->second);
    }
    std::vector<int64_t> becomes(numbers.size());
    for (const auto& [place, number] : numbers) {
      becomes[static_cast<size_t>(number)] = places.count;
      places.Add(place.data());
    }
    for (int64_t& group : of) group = becomes[static_cast<size_t>(group)];
  }
};

// One class for all types: only putting elements together knows theirs.
class SparseReduceOp : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) final {
    ASSIGN_OR_RETURN(keep_dims_, construction.Attr<bool>("keep_dims"));
    sparse_ = construction.node.num_outputs() == 3;
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) final {
    const Tensor& values = context->input(1);
    ASSIGN_OR_RETURN(const SparsePlaces whole,
                     SparsePlaces::Read(context->input(0), values, context->input(2)));
    RETURN_IF_ERROR(whole.CheckBounds());
    ASSIGN_OR_RETURN(const std::vector<int64_t> axes, context->input(3).IntValues());
    ASSIGN_OR_RETURN(const ReducedAxes reduced, ReducedAxes::Make(axes, whole.rank(), keep_dims_));
    const Groups groups(whole, reduced);
    return sparse_ ? PutSparse(context, values, groups) : PutDense(context, values, groups);
  }

 private:
  // Reduces the elements of each group into that element of `reduced`.
  virtual void Reduce(const Tensor& values, const std::vector<int64_t>& groups,
                      Tensor* reduced) const = 0;

  Status PutSparse(OpKernelContext* context, const Tensor& values, const Groups& groups) const {
    RETURN_IF_ERROR(groups.places.PutIndices(context, 0));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(1, Shape{groups.places.count}));
    Reduce(values, groups.of, output);
    return groups.places.PutShape(context, 2);
  }
  Status PutDense(OpKernelContext* context, const Tensor& values, const Groups& groups) const {
    const SparsePlaces& places = groups.places;
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make(places.dims));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    ParallelZero(output->raw(), static_cast<int64_t>(output->num_bytes()));
    ASSIGN_OR_RETURN(Tensor reduced, context->AllocateTemp(values.dtype(), Shape{places.count}));
    Reduce(values, groups.of, &reduced);
    std::vector<int64_t> targets;
    StopLook look;
    for (int64_t i = 0; i < places.count; ++i) {
      look.Turn();
      int64_t at = 0;
      for (size_t k = 0; k < places.rank(); ++k) at = at * places.dims[k] + places.row(i)[k];
      targets.push_back(at);
    }
    ScatterElements(reduced, targets.data(), output);
    return OkStatus();
  }

  bool keep_dims_ = false;
  bool sparse_ = false;
};

template <typename T, typename Functor>
class SparseReduceOpOf final : public SparseReduceOp {
  void Reduce(const Tensor& values, const std::vector<int64_t>& groups,
              Tensor* reduced) const override {
    T* to = reduced->mutable_data<T>();
    std::vector<bool> begun(static_cast<size_t>(reduced->num_elements()), false);
    for (size_t i = 0; i < groups.size(); ++i) {
      const T& value = values.data<T>()[i];
      const size_t group = static_cast<size_t>(groups[i]);
      to[group] = begun[group] ? Functor::Apply(to[group], value) : value;
      begun[group] = true;
    }
  }
};

#define REGISTER_ONE(T, name, Functor)                                                         \
  REGISTER_KERNEL(Kernel(name).OnCpu().Type<T>("T"), SparseReduceOpOf<T, Functor>);            \
  REGISTER_KERNEL(Kernel(name "Sparse").OnCpu().Type<T>("T"), SparseReduceOpOf<T, Functor>);
#define REGISTER(T) REGISTER_ONE(T, "SparseReduceSum", SumUp)
TFBUILD_NUMBER_TYPES(REGISTER)
TFBUILD_COMPLEX_TYPES(REGISTER)
#undef REGISTER
#define REGISTER(T) REGISTER_ONE(T, "SparseReduceMax", Larger)
TFBUILD_NUMBER_TYPES(REGISTER)
#undef REGISTER
#undef REGISTER_ONE

}  // namespace
}  // namespace tfbuild
