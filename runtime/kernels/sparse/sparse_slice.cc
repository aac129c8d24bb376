// SparseConcat, SparseSlice and SparseSliceGrad, SparseSplit: sparse tensors joined and cut.
#include <algorithm>
#include <cstring>
#include <map>

#include "base/stop_look.h"
#include "kernels/framework/element_moves.h"
#include "kernels/sparse/sparse_input.h"
#include "tensor/complex.h"

namespace tfbuild {
namespace {

Status SparseConcatShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const int64_t count, context->Attr<int64_t>("N"));
  int64_t rank = kUnknownDim, elements = 0;
  for (int i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(const PartialShape indices, context->WithRank(i, 2));
    RETURN_IF_ERROR(context->WithRank(static_cast<int>(count) + i, 1).status());
    ASSIGN_OR_RETURN(const PartialShape shape, context->WithRank(static_cast<int>(2 * count) + i, 1));
    for (const int64_t known : {indices.dim(1), shape.dim(0)}) {
      if (known == kUnknownDim) continue;
      if (rank != kUnknownDim && rank != known) {
        return InvalidArgument("Ranks of all input tensors must match: ", rank, " and ", known);
      }
      rank = known;
    }
    const bool counted = elements != kUnknownDim && indices.dim(0) != kUnknownDim;
    elements = counted ? elements + indices.dim(0) : kUnknownDim;
  }
  context->set_output(0, PartialShape({elements, rank}));
  context->set_output(1, PartialShape({elements}));
  context->set_output(2, PartialShape({rank}));
  return OkStatus();
}

Status SparseSliceShape(ShapeContext* context) {
  RETURN_IF_ERROR(CheckSparseShapes(context, 0));
  RETURN_IF_ERROR(context->WithRank(3, 1).status());
  RETURN_IF_ERROR(context->WithRank(4, 1).status());
  SetSparseShapes(context, 0, SparseRank(*context, 0));
  return OkStatus();
}

Status SparseSliceGradShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRank(0, 1).status());
  ASSIGN_OR_RETURN(const PartialShape indices, context->WithRank(1, 2));
  context->set_output(0, PartialShape({indices.dim(0)}));
  return OkStatus();
}

Status SparseSplitShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRank(0, 0).status());
  RETURN_IF_ERROR(CheckSparseShapes(context, 1));
  const int64_t rank = SparseRank(*context, 1);
  ASSIGN_OR_RETURN(const int64_t count, context->Attr<int64_t>("num_split"));
  for (int i = 0; i < count; ++i) {
    context->set_output(i, PartialShape({kUnknownDim, rank}));
    context->set_output(static_cast<int>(count) + i, PartialShape({kUnknownDim}));
    context->set_output(static_cast<int>(2 * count) + i, PartialShape({rank}));
  }
  return OkStatus();
}

REGISTER_OP("SparseConcat")
    .Input("indices: N * int64")
    .Input("values: N * T")
    .Input("shapes: N * int64")
    .Output("output_indices: int64")
    .Output("output_values: T")
    .Output("output_shape: int64")
    .Attr("concat_dim: int")
    .Attr("N: int >= 2")
    .Attr("T: type")
    .ShapeFunction(SparseConcatShape);
REGISTER_OP("SparseSlice")
    .Input("indices: int64")
    .Input("values: T")
    .Input("shape: int64")
    .Input("start: int64")
    .Input("size: int64")
    .Output("output_indices: int64")
    .Output("output_values: T")
    .Output("output_shape: int64")
    .Attr("T: type")
    .ShapeFunction(SparseSliceShape);
REGISTER_OP("SparseSliceGrad")
    .Input("backprop_val_grad: T")
    .Input("input_indices: int64")
    .Input("input_start: int64")
    .Input("output_indices: int64")
    .Output("val_grad: T")
    .Attr("T: {float, double, int32, uint8, int16, int8, complex64, int64, bfloat16, complex128, "
          "half, uint16, uint32, uint64}")
    .ShapeFunction(SparseSliceGradShape);
REGISTER_OP("SparseSplit")
    .Input("split_dim: int64")
    .Input("indices: int64")
    .Input("values: T")
    .Input("shape: int64")
    .Output("output_indices: num_split * int64")
    .Output("output_values: num_split * T")
    .Output("output_shape: num_split * int64")
    .Attr("num_split: int >= 1")
    .Attr("T: type")
    .ShapeFunction(SparseSplitShape);

class SparseConcatOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(axis_, construction.Attr<int64_t>("concat_dim"));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    const int count = context->num_inputs() / 3;
    SparsePlaces all;
    size_t axis = 0;
    for (int i = 0; i < count; ++i) {
      const Tensor& given = context->input(count + i);
      ASSIGN_OR_RETURN(SparsePlaces one, SparsePlaces::Read(context->input(i), given,
                                                            context->input(2 * count + i)));
      if (i == 0) {
        ASSIGN_OR_RETURN(const int found, AxisOf(one));
        axis = static_cast<size_t>(found);
        all.dims = one.dims;
        all.dims[axis] = 0;
      }
      RETURN_IF_ERROR(CheckFits(all, one, axis, i));
      StopLook look;
      for (int64_t j = 0; j < one.count; ++j) {
        look.Turn();
        one.indices[static_cast<size_t>(j) * one.rank() + axis] += all.dims[axis];
        all.Add(one.row(j));
      }
      all.dims[axis] += one.dims[axis];
    }
    return PutOrdered(context, all);
  }

 private:
  // Puts out the elements in the order of memory.
  static Status PutOrdered(OpKernelContext* context, const SparsePlaces& all) {
    SparsePlaces ordered;
    ordered.dims = all.dims;
    std::vector<int64_t> becomes(static_cast<size_t>(all.count));
    StopLook look;
    for (const int64_t i : all.Order()) {
      look.Turn();
      becomes[static_cast<size_t>(i)] = ordered.count;
      ordered.Add(all.row(i));
    }
    RETURN_IF_ERROR(ordered.PutIndices(context, 0));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(1, Shape{all.count}));
    const int count = context->num_inputs() / 3;
    const int64_t* next = becomes.data();
    for (int i = 0; i < count; ++i) {
      ScatterElements(context->input(count + i), next, output);
      next += context->input(count + i).num_elements();
    }
    return ordered.PutShape(context, 2);
  }
  Result<int> AxisOf(const SparsePlaces& first) const {
    const int64_t rank = static_cast<int64_t>(first.rank());
    const int64_t axis = axis_ < 0 ? axis_ + rank : axis_;
    if (axis < 0 || axis >= rank) {
      return InvalidArgument("Concat dimension must be in range [", -rank, ", ", rank, "), got ",
                             axis_);
    }
    return static_cast<int>(axis);
  }
  static Status CheckFits(const SparsePlaces& all, const SparsePlaces& one, size_t axis, int i) {
    if (one.rank() != all.rank()) {
      return InvalidArgument("Ranks of all input tensors must match: expected ", all.rank(),
                             " but got ", one.rank(), " at position ", i);
    }
    for (size_t k = 0; k < one.rank(); ++k) {
      if (k != axis && one.dims[k] != all.dims[k]) {
        return InvalidArgument("Input shapes must match: expected ", all.dims[k],
                               " for dimension ", k, " but got ", one.dims[k], " at position ", i);
      }
    }
    if (one.dims[axis] > kMaxElements || all.dims[axis] > kMaxElements) {
      return InvalidArgument("the joined dimension is too large");
    }
    return OkStatus();
  }

  int64_t axis_ = 0;
};

// The part of a sparse tensor from `start`, as far as it goes; which element each of it was.
struct Part {
  SparsePlaces places;
  std::vector<int64_t> from;

  Part(const SparsePlaces& whole, const std::vector<int64_t>& start,
       const std::vector<int64_t>& size) {
    const size_t rank = whole.rank();
    for (size_t k = 0; k < rank; ++k) {
      const int64_t left = std::max<int64_t>(0, whole.dims[k] - start[k]);
      places.dims.push_back(std::min(size[k], left));
    }
    std::vector<int64_t> place(rank);
    StopLook look;
    for (int64_t i = 0; i < whole.count; ++i) {
      look.Turn();
      bool inside = true;
      for (size_t k = 0; k < rank; ++k) {
        place[k] = whole.row(i)[k] - start[k];
        inside = inside && place[k] >= 0 && place[k] < places.dims[k];
      }
      if (!inside) continue;
      places.Add(place.data());
      from.push_back(i);
    }
  }
};

Result<std::vector<int64_t>> Corner(const Tensor& given, size_t rank, const char* name) {
  ASSIGN_OR_RETURN(std::vector<int64_t> corner, VectorFrom(given, name));
  if (corner.size() != rank) {
    return InvalidArgument("Expected ", name, " to be a vector of length ", rank,
                           " but got length ", corner.size());
  }
  for (const int64_t number : corner) {
    if (number < 0) return InvalidArgument(name, " must not be negative, got ", number);
  }
  return corner;
}

class SparseSliceOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& values = context->input(1);
    ASSIGN_OR_RETURN(const SparsePlaces whole,
                     SparsePlaces::Read(context->input(0), values, context->input(2)));
    ASSIGN_OR_RETURN(const auto start, Corner(context->input(3), whole.rank(), "start"));
    ASSIGN_OR_RETURN(const auto size, Corner(context->input(4), whole.rank(), "size"));
    const Part part(whole, start, size);
    RETURN_IF_ERROR(part.places.PutIndices(context, 0));
    RETURN_IF_ERROR(PutPicked(context, 1, values, part.from));
    return part.places.PutShape(context, 2);
  }
};

class SparseSliceGradOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& gradient = context->input(0);
    const int64_t rank = context->input(1).rank() == 2 ? context->input(1).dim(1) : 0;
    if (rank > kMaxRank) {  // where there are no indices there may be any number of them in each
      return InvalidArgument("a sparse tensor has at most ", kMaxRank, " dimensions, got ", rank);
    }
    const std::vector<int64_t> dims(static_cast<size_t>(rank), 0);
    ASSIGN_OR_RETURN(const SparsePlaces whole, SparsePlaces::Read(context->input(1), dims));
    ASSIGN_OR_RETURN(const SparsePlaces part, SparsePlaces::Read(context->input(3), dims));
    ASSIGN_OR_RETURN(const auto start, Corner(context->input(2), dims.size(), "input_start"));
    if (gradient.rank() != 1 || gradient.dim(0) != part.count) {
      return InvalidArgument("backprop_val_grad should have shape [", part.count, "], got ",
                             gradient.shape());
    }
    std::map<std::vector<int64_t>, int64_t> where;
    StopLook look;
    for (int64_t i = 0; i < whole.count; ++i) {
      look.Turn();
      where[std::vector<int64_t>(whole.row(i), whole.row(i) + rank)] = i;
    }
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, Shape{whole.count}));
    std::memset(output->raw(), 0, output->num_bytes());
    std::vector<int64_t> targets;
    for (int64_t j = 0; j < part.count; ++j) {
      look.Turn();
      std::vector<int64_t> place(part.row(j), part.row(j) + rank);
      for (size_t k = 0; k < place.size(); ++k) place[k] += start[k];
      const auto found = where.find(place);
      if (found == where.end()) {
        return InvalidArgument("output_indices[", j, "] is no element of the sliced tensor");
      }
      targets.push_back(found->second);
    }
    ScatterElements(gradient, targets.data(), output);
    return OkStatus();
  }
};

class SparseSplitOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(count_, construction.Attr<int64_t>("num_split"));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& values = context->input(2);
    ASSIGN_OR_RETURN(const SparsePlaces whole,
                     SparsePlaces::Read(context->input(1), values, context->input(3)));
    ASSIGN_OR_RETURN(const int64_t given, ScalarFrom(context->input(0), "split_dim"));
    const int64_t rank = static_cast<int64_t>(whole.rank());
    const int64_t dim = given < 0 ? given + rank : given;
    if (dim < 0 || dim >= rank) {
      return InvalidArgument("Input split_dim should be between 0 and rank (", rank, "), got ",
                             given);
    }
    const size_t axis = static_cast<size_t>(dim);
    if (count_ < 1 || count_ > whole.dims[axis]) {
      return InvalidArgument("Input num_split should be between 1 and the splitting dimension "
                             "size (", whole.dims[axis], "), got ", count_);
    }
    const int64_t least = whole.dims[axis] / count_, longer = whole.dims[axis] % count_;
    std::vector<int64_t> start(whole.rank(), 0), size = whole.dims;
    for (int i = 0; i < count_; ++i) {
      size[axis] = least + (i < longer ? 1 : 0);
      const Part part(whole, start, size);
      RETURN_IF_ERROR(part.places.PutIndices(context, i));
      RETURN_IF_ERROR(PutPicked(context, static_cast<int>(count_) + i, values, part.from));
      RETURN_IF_ERROR(part.places.PutShape(context, static_cast<int>(2 * count_) + i));
      start[axis] += size[axis];
    }
    return OkStatus();
  }

 private:
  int64_t count_ = 1;
};

#define REGISTER_ANY(T)                                                               \
  REGISTER_KERNEL(Kernel("SparseConcat").OnCpu().Type<T>("T"), SparseConcatOp);    \
  REGISTER_KERNEL(Kernel("SparseSlice").OnCpu().Type<T>("T"), SparseSliceOp);      \
  REGISTER_KERNEL(Kernel("SparseSplit").OnCpu().Type<T>("T"), SparseSplitOp);
#define REGISTER(T) \
  REGISTER_ANY(T)   \
  REGISTER_KERNEL(Kernel("SparseSliceGrad").OnCpu().Type<T>("T"), SparseSliceGradOp);
TFBUILD_NUMBER_TYPES(REGISTER)
TFBUILD_COMPLEX_TYPES(REGISTER)
REGISTER_ANY(bool)
REGISTER_ANY(std::string)
#undef REGISTER
#undef REGISTER_ANY

}  // namespace
}  // namespace tfbuild
