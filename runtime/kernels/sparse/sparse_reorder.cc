// SparseReorder, SparseReshape, SparseFillEmptyRows and its gradient: the same elements otherwise.
#include <algorithm>

#include "base/stop_look.h"
#include "kernels/framework/element_moves.h"
#include "kernels/framework/functors.h"
#include "kernels/sparse/sparse_input.h"
#include "tensor/complex.h"

namespace tfbuild {
namespace {

Status ReorderShape(ShapeContext* context) {
  RETURN_IF_ERROR(CheckSparseShapes(context, 0));
  context->set_output(0, context->input(0));
  context->set_output(1, context->input(1));
  return OkStatus();
}

Status SparseReshapeShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const PartialShape indices, context->WithRank(0, 2));
  RETURN_IF_ERROR(context->WithRank(1, 1).status());
  ASSIGN_OR_RETURN(const PartialShape wanted, context->WithRank(2, 1));
  context->set_output(0, PartialShape({indices.dim(0), wanted.dim(0)}));
  context->set_output(1, wanted);
  return OkStatus();
}

Status FillEmptyRowsShape(ShapeContext* context) {
  RETURN_IF_ERROR(CheckSparseShapes(context, 0));
  RETURN_IF_ERROR(context->WithRank(3, 0).status());
  ASSIGN_OR_RETURN(const PartialShape shape, context->input_as_shape(2));
  const PartialShape& values = context->input(1);
  context->set_output(0, PartialShape({kUnknownDim, SparseRank(*context, 0)}));
  context->set_output(1, PartialShape({kUnknownDim}));
  context->set_output(2, PartialShape({shape.rank() > 0 ? shape.dim(0) : kUnknownDim}));
  context->set_output(3, PartialShape({values.known_rank() ? values.dim(0) : kUnknownDim}));
  return OkStatus();
}

Status FillEmptyRowsGradShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const PartialShape map, context->WithRank(0, 1));
  RETURN_IF_ERROR(context->WithRank(1, 1).status());
  context->set_output(0, map);
  context->set_output(1, PartialShape(std::vector<int64_t>()));
  return OkStatus();
}

REGISTER_OP("SparseReorder")
    .Input("input_indices: int64")
    .Input("input_values: T")
    .Input("input_shape: int64")
    .Output("output_indices: int64")
    .Output("output_values: T")
    .Attr("T: type")
    .ShapeFunction(ReorderShape);
REGISTER_OP("SparseReshape")
    .Input("input_indices: int64")
    .Input("input_shape: int64")
    .Input("new_shape: int64")
    .Output("output_indices: int64")
    .Output("output_shape: int64")
    .ShapeFunction(SparseReshapeShape);
REGISTER_OP("SparseFillEmptyRows")
    .Input("indices: int64")
    .Input("values: T")
    .Input("dense_shape: int64")
    .Input("default_value: T")
    .Output("output_indices: int64")
    .Output("output_values: T")
    .Output("empty_row_indicator: bool")
    .Output("reverse_index_map: int64")
    .Attr("T: type")
    .ShapeFunction(FillEmptyRowsShape);
REGISTER_OP("SparseFillEmptyRowsGrad")
    .Input("reverse_index_map: int64")
    .Input("grad_values: T")
    .Output("d_values: T")
    .Output("d_default_value: T")
    .Attr("T: type")
    .ShapeFunction(FillEmptyRowsGradShape);

class SparseReorderOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& values = context->input(1);
    ASSIGN_OR_RETURN(const SparsePlaces places,
                     SparsePlaces::Read(context->input(0), values, context->input(2)));
    SparsePlaces ordered;
    ordered.dims = places.dims;
    const std::vector<int64_t> order = places.Order();
    StopLook look;
    for (const int64_t i : order) {
      look.Turn();
      ordered.Add(places.row(i));
    }
    RETURN_IF_ERROR(ordered.PutIndices(context, 0));
    return PutPicked(context, 1, values, order);
  }
};

// The number of elements of a shape; an error where it cannot be counted.
Result<int64_t> CountedElements(const std::vector<int64_t>& dims, const char* name) {
  int64_t product = 1;
  for (const int64_t dim : dims) {
    if (__builtin_mul_overflow(product, dim, &product)) {
      return InvalidArgument(name, " has too many elements");
    }
  }
  return product;
}

class SparseReshapeOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& indices = context->input(0);
    ASSIGN_OR_RETURN(const SparsePlaces places, SparsePlaces::Read(indices, context->input(1)));
    ASSIGN_OR_RETURN(std::vector<int64_t> dims, VectorFrom(context->input(2), "new_shape"));
    ASSIGN_OR_RETURN(const int64_t total, CountedElements(places.dims, "input_shape"));
    RETURN_IF_ERROR(Complete(total, &dims));
    RETURN_IF_ERROR(places.CheckBounds());
    SparsePlaces turned;
    turned.dims = dims;
    std::vector<int64_t> place(dims.size());
    StopLook look;
    for (int64_t i = 0; i < places.count; ++i) {
      look.Turn();
      int64_t at = 0;
      for (size_t k = 0; k < places.rank(); ++k) at = at * places.dims[k] + places.row(i)[k];
      for (size_t k = dims.size(); k-- > 0;) {
        place[k] = at % dims[k];
        at /= dims[k];
      }
      turned.Add(place.data());
    }
    RETURN_IF_ERROR(turned.PutIndices(context, 0));
    return turned.PutShape(context, 1);
  }

 private:
  // Finds the one size that is -1.
  static Status Complete(int64_t total, std::vector<int64_t>* dims) {
    int64_t* open = nullptr;
    std::vector<int64_t> known;
    for (int64_t& dim : *dims) {
      if (dim == -1 && open != nullptr) {
        return InvalidArgument("only one output dimension may be -1, not both");
      }
      if (dim < -1) return InvalidArgument("size ", dim, " must be non-negative");
      if (dim == -1) {
        open = &dim;
      } else {
        known.push_back(dim);
      }
    }
    ASSIGN_OR_RETURN(const int64_t product, CountedElements(known, "new_shape"));
    if (open != nullptr) {
      if (product == 0) {
        return InvalidArgument("reshape cannot infer the missing input size for an empty tensor "
                               "unless all specified input sizes are non-zero");
      }
      *open = total / product;
    }
    const int64_t wanted = open == nullptr ? product : product * *open;
    if (wanted != total) {
      return InvalidArgument(open == nullptr ? "Input to reshape is a tensor with "
                                             : "Input to reshape is a SparseTensor with ",
                             total, " dense values, but the requested shape ",
                             open == nullptr ? "has " : "requires a multiple of ",
                             open == nullptr ? wanted : product);
    }
    return OkStatus();
  }
};

class FillEmptyRowsOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor &values = context->input(1), &other = context->input(3);
    ASSIGN_OR_RETURN(const SparsePlaces places,
                     SparsePlaces::Read(context->input(0), values, context->input(2)));
    if (other.rank() != 0) {
      return InvalidArgument("default_value must be a scalar, saw: ", other.shape());
    }
    if (places.rank() == 0) return InvalidArgument("Dense shape cannot be empty.");
    ASSIGN_OR_RETURN(const Shape rows_shape, Shape::Make({places.dims[0]}));
    ASSIGN_OR_RETURN(const std::vector<int64_t> counts, RowCounts(places));
    ASSIGN_OR_RETURN(Tensor * empty, context->AllocateOutput(2, rows_shape));
    ASSIGN_OR_RETURN(Tensor * map, context->AllocateOutput(3, Shape{places.count}));
    // Where the elements of each row begin; an empty row has one.
    std::vector<int64_t> next;
    int64_t total = 0;
    for (size_t row = 0; row < counts.size(); ++row) {
      next.push_back(total);
      total += std::max<int64_t>(1, counts[row]);
      empty->mutable_data<bool>()[row] = counts[row] == 0;
    }
    SparsePlaces filled;
    filled.dims = places.dims;
    filled.count = total;
    filled.indices.assign(static_cast<size_t>(total) * places.rank(), 0);
    for (size_t row = 0; row < counts.size(); ++row) {
      filled.indices[static_cast<size_t>(next[row]) * places.rank()] = static_cast<int64_t>(row);
    }
    StopLook look;
    for (int64_t i = 0; i < places.count; ++i) {
      look.Turn();
      const size_t at = static_cast<size_t>(next[static_cast<size_t>(places.row(i)[0])]++);
      std::copy_n(places.row(i), places.rank(), filled.indices.begin() +
                                                    static_cast<int64_t>(at * places.rank()));
      map->mutable_data<int64_t>()[i] = static_cast<int64_t>(at);
    }
    RETURN_IF_ERROR(filled.PutIndices(context, 0));
    ASSIGN_OR_RETURN(Tensor * all, context->AllocateOutput(1, Shape{total}));
    FillElements(other, all);
    ScatterElements(values, map->data<int64_t>(), all);
    return OkStatus();
  }

 private:
  // How many elements stand in each row.
  static Result<std::vector<int64_t>> RowCounts(const SparsePlaces& places) {
    std::vector<int64_t> counts(static_cast<size_t>(places.dims[0]), 0);
    StopLook look;
    for (int64_t i = 0; i < places.count; ++i) {
      look.Turn();
      const int64_t row = places.row(i)[0];
      if (row < 0 || row >= places.dims[0]) {
        return InvalidArgument("indices(", i, ", 0) is invalid: ", row, " >= ", places.dims[0]);
      }
      ++counts[static_cast<size_t>(row)];
    }
    return counts;
  }
};

template <typename T>
class FillEmptyRowsGradOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor &map = context->input(0), &gradient = context->input(1);
    ASSIGN_OR_RETURN(const std::vector<int64_t> places, VectorFrom(map, "reverse_index_map"));
    if (gradient.rank() != 1) {
      return InvalidArgument("grad_values must be a vector, saw: ", gradient.shape());
    }
    ASSIGN_OR_RETURN(Tensor * values, context->AllocateOutput(0, map.shape()));
    ASSIGN_OR_RETURN(Tensor * other, context->AllocateOutput(1, Shape{}));
    const T* from = gradient.data<T>();
    std::vector<bool> visited(static_cast<size_t>(gradient.dim(0)), false);
    StopLook look;
    for (size_t i = 0; i < places.size(); ++i) {
      look.Turn();
      if (places[i] < 0 || places[i] >= gradient.dim(0)) {
        return InvalidArgument("Elements in reverse index must be in [0, ", gradient.dim(0),
                               ") but got ", places[i]);
      }
      values->mutable_data<T>()[i] = from[places[i]];
      visited[static_cast<size_t>(places[i])] = true;
    }
    T sum(0);
    for (size_t j = 0; j < visited.size(); ++j) {
      if (!visited[j]) sum = functor::Add::Apply(sum, from[j]);
    }
    *other->mutable_data<T>() = sum;
    return OkStatus();
  }
};

#define REGISTER_ANY(T)                                                                    \
  REGISTER_KERNEL(Kernel("SparseReorder").OnCpu().Type<T>("T"), SparseReorderOp);             \
  REGISTER_KERNEL(Kernel("SparseFillEmptyRows").OnCpu().Type<T>("T"), FillEmptyRowsOp);
#define REGISTER(T) \
  REGISTER_ANY(T)   \
  REGISTER_KERNEL(Kernel("SparseFillEmptyRowsGrad").OnCpu().Type<T>("T"), FillEmptyRowsGradOp<T>);
TFBUILD_NUMBER_TYPES(REGISTER)
TFBUILD_COMPLEX_TYPES(REGISTER)
REGISTER_ANY(bool)
REGISTER_ANY(std::string)
#undef REGISTER
#undef REGISTER_ANY

REGISTER_KERNEL(Kernel("SparseReshape").OnCpu(), SparseReshapeOp);

}  // namespace
}  // namespace tfbuild
