// Lists of tensors, many elements at a time: from the rows of a tensor, and back into one.
#include <algorithm>

#include "kernels/control/tensor_list.h"
#include "kernels/framework/element_moves.h"

namespace tfbuild {
namespace {

// `rows` elements of a shape in one tensor.
PartialShape WithRows(int64_t rows, const PartialShape& element) {
  if (!element.known_rank()) return {};
  std::vector<int64_t> dims = element.dims();
  dims.insert(dims.begin(), rows);
  return PartialShape(std::move(dims));
}

Status ListStackShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const int64_t rows, context->Attr<int64_t>("num_elements"));
  ASSIGN_OR_RETURN(const PartialShape element, context->input_as_shape(1));
  context->set_output(0, WithRows(rows < 0 ? kUnknownDim : rows, element));
  return OkStatus();
}

Status ListGatherShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const PartialShape indices, context->WithRank(1, 1));
  ASSIGN_OR_RETURN(const PartialShape element, context->input_as_shape(2));
  context->set_output(0, WithRows(indices.dim(0), element));
  return OkStatus();
}

Status ConcatShape(ShapeContext* context) {
  context->set_output(1, PartialShape::UnknownOfRank(1));
  return OkStatus();
}

REGISTER_OP("TensorListStack")
    .Input("input_handle: variant")
    .Input("element_shape: int32")
    .Output("tensor: element_dtype")
    .Attr("element_dtype: type")
    .Attr("num_elements: int = -1")
    .ShapeFunction(ListStackShape);
REGISTER_OP("TensorListFromTensor")
    .Input("tensor: element_dtype")
    .Input("element_shape: shape_type")
    .Output("output_handle: variant")
    .Attr("element_dtype: type")
    .Attr("shape_type: {int32, int64}")
    .ShapeFunction(ListShape);
REGISTER_OP("TensorListGather")
    .Input("input_handle: variant")
    .Input("indices: int32")
    .Input("element_shape: int32")
    .Output("values: element_dtype")
    .Attr("element_dtype: type")
    .ShapeFunction(ListGatherShape);
REGISTER_OP("TensorListScatterV2")
    .Input("tensor: element_dtype")
    .Input("indices: int32")
    .Input("element_shape: shape_type")
    .Input("num_elements: int32")
    .Output("output_handle: variant")
    .Attr("element_dtype: type")
    .Attr("shape_type: {int32, int64}")
    .ShapeFunction(ListShape);
REGISTER_OP("TensorListScatterIntoExistingList")
    .Input("input_handle: variant")
    .Input("tensor: element_dtype")
    .Input("indices: int32")
    .Output("output_handle: variant")
    .Attr("element_dtype: type")
    .ShapeFunction(ListShape);
REGISTER_OP("TensorListConcatV2")
    .Input("input_handle: variant")
    .Input("element_shape: shape_type")
    .Input("leading_dims: int64")
    .Output("tensor: element_dtype")
    .Output("lengths: int64")
    .Attr("element_dtype: type")
    .Attr("shape_type: {int32, int64}")
    .ShapeFunction(ConcatShape);
REGISTER_OP("TensorListSplit")
    .Input("tensor: element_dtype")
    .Input("element_shape: shape_type")
    .Input("lengths: int64")
    .Output("output_handle: variant")
    .Attr("element_dtype: type")
    .Attr("shape_type: {int32, int64}")
    .ShapeFunction(ListShape);

// The elements with these numbers as the rows of output 0.
Status StackInto(OpKernelContext* context, const TensorList& list,
                 const std::vector<int64_t>& indices, const PartialShape& given) {
  if (list.dtype != context->node().output(0).dtype) {
    return InvalidArgument("the list holds ", DTypeName(list.dtype), ", not ",
                           DTypeName(context->node().output(0).dtype));
  }
  ASSIGN_OR_RETURN(const PartialShape element, list.ShapeOfElements(given));
  if (!element.fully_known()) {
    return InvalidArgument("elements of a shape that is only known to be ", element,
                           " do not fit into one tensor");
  }
  std::vector<int64_t> dims = element.dims();
  dims.insert(dims.begin(), static_cast<int64_t>(indices.size()));
  ASSIGN_OR_RETURN(const Shape shape, Shape::Make(std::move(dims)));
  std::vector<Tensor> rows;
  for (const int64_t index : indices) {
    ASSIGN_OR_RETURN(rows.emplace_back(), list.Element(index, element));
  }
  ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
  int64_t place = 0;
  for (const Tensor& row : rows) {
    CopyRange(row, 0, row.num_elements(), output, place);
    place += row.num_elements();
  }
  return OkStatus();
}

// The rows of a tensor, each as a tensor of its own.
Result<std::vector<Tensor>> RowsOf(const Tensor& value) {
  if (value.rank() < 1) return InvalidArgument("a scalar has no rows");
  ASSIGN_OR_RETURN(const Shape shape,
                   Shape::Make({value.shape().dims().begin() + 1, value.shape().dims().end()}));
  if (value.dim(0) > TensorList::kMaxLength) {
    return InvalidArgument("no list has ", value.dim(0), " elements");
  }
  std::vector<Tensor> rows;
  for (int64_t i = 0; i < value.dim(0); ++i) {
    ASSIGN_OR_RETURN(Tensor row, Tensor::Allocate(CpuAllocator(), value.dtype(), shape));
    CopyRange(value, i * shape.num_elements(), shape.num_elements(), &row, 0);
    rows.push_back(std::move(row));
  }
  return rows;
}

Result<std::vector<int64_t>> VectorInput(const Tensor& value, const char* name) {
  if (value.rank() == 1) return value.IntValues();
  return InvalidArgument(name, " must be a vector, but the shape is ", value.shape());
}

// Puts rows at places of a list, which grows as far as it must.
Status Scatter(const Tensor& value, const Tensor& places, TensorList* list) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> indices, VectorInput(places, "indices"));
  ASSIGN_OR_RETURN(std::vector<Tensor> rows, RowsOf(value));
  if (rows.size() != indices.size()) {
    return InvalidArgument(indices.size(), " indices for ", rows.size(), " rows");
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    RETURN_IF_ERROR(list->CheckElement(rows[i]));
    if (indices[i] < 0 || indices[i] >= TensorList::kMaxLength) {
      return InvalidArgument("Indices in TensorListScatter must all be non-negative and below ",
                             TensorList::kMaxLength, ", not ", indices[i]);
    }
    if (indices[i] >= list->size()) list->elements.resize(static_cast<size_t>(indices[i]) + 1);
    list->elements[static_cast<size_t>(indices[i])] = std::move(rows[i]);
  }
  return OkStatus();
}

class StackOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const TensorList* list, ListIn(*context, 0));
    ASSIGN_OR_RETURN(const int64_t wanted, context->node().Attr<int64_t>("num_elements"));
    if (wanted >= 0 && wanted != list->size()) {
      return InvalidArgument("Operation expected a list with ", wanted,
                             " elements but got a list with ", list->size(), " elements.");
    }
    ASSIGN_OR_RETURN(const PartialShape shape, ShapeInput(context->input(1)));
    std::vector<int64_t> all;
    for (int64_t i = 0; i < list->size(); ++i) all.push_back(i);
    return StackInto(context, *list, all, shape);
  }
};

class GatherOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const TensorList* list, ListIn(*context, 0));
    ASSIGN_OR_RETURN(const auto indices, VectorInput(context->input(1), "indices"));
    ASSIGN_OR_RETURN(const PartialShape shape, ShapeInput(context->input(2)));
    return StackInto(context, *list, indices, shape);
  }
};

class FromTensorOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(PartialShape shape, ShapeInput(context->input(1)));
    ASSIGN_OR_RETURN(std::vector<Tensor> rows, RowsOf(context->input(0)));
    ASSIGN_OR_RETURN(TensorList * list,
                     NewList(context, context->input(0).dtype(), std::move(shape)));
    for (const Tensor& row : rows) RETURN_IF_ERROR(list->CheckElement(row));
    list->elements = std::move(rows);
    return OkStatus();
  }
};

class ScatterOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(PartialShape shape, ShapeInput(context->input(2)));
    if (context->input(3).num_elements() != 1) {
      return InvalidArgument("num_elements must be a scalar, but its shape is ",
                             context->input(3).shape());
    }
    int64_t length = *context->input(3).data<int32_t>();
    if (length != kUnknownDim) {
      ASSIGN_OR_RETURN(length, LengthInput(context->input(3)));
    }
    ASSIGN_OR_RETURN(TensorList * list,
                     NewList(context, context->input(0).dtype(), std::move(shape)));
    if (length > 0) list->elements.resize(static_cast<size_t>(length));
    RETURN_IF_ERROR(Scatter(context->input(0), context->input(1), list));
    if (length == kUnknownDim || list->size() == length) return OkStatus();
    return InvalidArgument("an index is beyond num_elements, which is ", length);
  }
};

class ScatterIntoOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(TensorList * list, ChangedList(context));
    return Scatter(context->input(1), context->input(2), list);
  }
};

class ConcatOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const TensorList* list, ListIn(*context, 0));
    ASSIGN_OR_RETURN(const PartialShape given, ShapeInput(context->input(1)));
    ASSIGN_OR_RETURN(const auto leading, VectorInput(context->input(2), "leading_dims"));
    if (list->dtype != context->node().output(0).dtype) {
      return InvalidArgument("the list holds ", DTypeName(list->dtype), ", not ",
                             DTypeName(context->node().output(0).dtype));
    }
    std::vector<Tensor> parts;
    std::vector<int64_t> lengths;
    for (int64_t i = 0; i < list->size(); ++i) {
      PartialShape shape = given;
      if (static_cast<size_t>(i) < leading.size() && shape.known_rank() && shape.rank() > 0) {
        std::vector<int64_t> dims = shape.dims();
        dims[0] = leading[static_cast<size_t>(i)];
        shape = PartialShape(std::move(dims));
      }
      ASSIGN_OR_RETURN(parts.emplace_back(), list->Element(i, shape));
      if (parts.back().rank() < 1) return InvalidArgument("scalars have no rows to concatenate");
      lengths.push_back(parts.back().dim(0));
    }
    ASSIGN_OR_RETURN(const Shape shape, WholeShape(parts, given));
    context->SetOutput(1, Tensor::Vector(lengths));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    int64_t place = 0;
    for (const Tensor& part : parts) {
      CopyRange(part, 0, part.num_elements(), output, place);
      place += part.num_elements();
    }
    return OkStatus();
  }

 private:
  static Result<Shape> WholeShape(const std::vector<Tensor>& parts, const PartialShape& given) {
    std::vector<int64_t> dims = parts.empty() ? given.dims() : parts[0].shape().dims();
    if (dims.empty()) return InvalidArgument("without elements their shape must be known");
    dims[0] = 0;
    if (std::find(dims.begin(), dims.end(), kUnknownDim) != dims.end()) {
      return InvalidArgument("without elements their shape must be known, not ", given);
    }
    for (const Tensor& part : parts) {
      const std::vector<int64_t>& rows = part.shape().dims();
      if (rows.size() != dims.size() || !std::equal(rows.begin() + 1, rows.end(), dims.begin() + 1)) {
        return InvalidArgument("elements of shapes ", parts[0].shape(), " and ", part.shape(),
                               " do not fit into one tensor");
      }
      dims[0] += rows[0];
    }
    return Shape::Make(std::move(dims));
  }
};

class SplitOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& value = context->input(0);
    ASSIGN_OR_RETURN(PartialShape shape, ShapeInput(context->input(1)));
    ASSIGN_OR_RETURN(const auto lengths, VectorInput(context->input(2), "lengths"));
    if (value.rank() < 1) return InvalidArgument("a scalar has no rows to split");
    ASSIGN_OR_RETURN(TensorList * list, NewList(context, value.dtype(), std::move(shape)));
    std::vector<int64_t> dims = value.shape().dims();
    const int64_t row = value.dim(0) == 0 ? 0 : value.num_elements() / value.dim(0);
    int64_t first = 0;
    for (const int64_t length : lengths) {
      if (length < 0 || length > value.dim(0) - first) {
        return InvalidArgument("lengths that do not add up to ", value.dim(0), " rows");
      }
      dims[0] = length;
      ASSIGN_OR_RETURN(const Shape part_shape, Shape::Make(dims));
      ASSIGN_OR_RETURN(Tensor part, Tensor::Allocate(CpuAllocator(), value.dtype(), part_shape));
      CopyRange(value, first * row, length * row, &part, 0);
      RETURN_IF_ERROR(list->CheckElement(part));
      list->elements.push_back(std::move(part));
      first += length;
    }
    if (first == value.dim(0)) return OkStatus();
    return InvalidArgument("lengths that do not add up to ", value.dim(0), " rows");
  }
};

REGISTER_KERNEL(Kernel("TensorListStack").OnCpu(), StackOp);
REGISTER_KERNEL(Kernel("TensorListFromTensor").OnCpu(), FromTensorOp);
REGISTER_KERNEL(Kernel("TensorListGather").OnCpu(), GatherOp);
REGISTER_KERNEL(Kernel("TensorListScatterV2").OnCpu(), ScatterOp);
REGISTER_KERNEL(Kernel("TensorListScatterIntoExistingList").OnCpu(), ScatterIntoOp);
REGISTER_KERNEL(Kernel("TensorListConcatV2").OnCpu(), ConcatOp);
REGISTER_KERNEL(Kernel("TensorListSplit").OnCpu(), SplitOp);

}  // namespace
}  // namespace tfbuild
