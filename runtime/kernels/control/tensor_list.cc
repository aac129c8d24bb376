// Lists of tensors, one element at a time: made, grown, shrunk, written and read.
#include "kernels/control/tensor_list.h"

namespace tfbuild {
namespace {

Status PopShape(ShapeContext* context) {
  RETURN_IF_ERROR(ListShape(context));
  ASSIGN_OR_RETURN(PartialShape element, context->input_as_shape(1));
  context->set_output(1, std::move(element));
  return OkStatus();
}

Status ItemShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(PartialShape element, context->input_as_shape(2));
  context->set_output(0, std::move(element));
  return OkStatus();
}

REGISTER_OP("EmptyTensorList")
    .Input("element_shape: shape_type")
    .Input("max_num_elements: int32")
    .Output("handle: variant")
    .Attr("element_dtype: type")
    .Attr("shape_type: {int32, int64}")
    .ShapeFunction(ListShape);
REGISTER_OP("TensorListReserve")
    .Input("element_shape: shape_type")
    .Input("num_elements: int32")
    .Output("handle: variant")
    .Attr("element_dtype: type")
    .Attr("shape_type: {int32, int64}")
    .ShapeFunction(ListShape);
REGISTER_OP("TensorListResize")
    .Input("input_handle: variant")
    .Input("size: int32")
    .Output("output_handle: variant")
    .ShapeFunction(ListShape);
REGISTER_OP("TensorListLength")
    .Input("input_handle: variant")
    .Output("length: int32")
    .ShapeFunction(ScalarShape);
REGISTER_OP("TensorListElementShape")
    .Input("input_handle: variant")
    .Output("element_shape: shape_type")
    .Attr("shape_type: {int32, int64}")
    .ShapeFunction(UnknownShape);
REGISTER_OP("TensorListPushBack")
    .Input("input_handle: variant")
    .Input("tensor: element_dtype")
    .Output("output_handle: variant")
    .Attr("element_dtype: type")
    .ShapeFunction(ListShape);
REGISTER_OP("TensorListPopBack")
    .Input("input_handle: variant")
    .Input("element_shape: int32")
    .Output("output_handle: variant")
    .Output("tensor: element_dtype")
    .Attr("element_dtype: type")
    .ShapeFunction(PopShape);
REGISTER_OP("TensorListSetItem")
    .Input("input_handle: variant")
    .Input("index: int32")
    .Input("item: element_dtype")
    .Output("output_handle: variant")
    .Attr("element_dtype: type")
    .Attr("resize_if_index_out_of_bounds: bool = false")
    .ShapeFunction(ListShape);
REGISTER_OP("TensorListGetItem")
    .Input("input_handle: variant")
    .Input("index: int32")
    .Input("element_shape: Tshape")
    .Output("item: element_dtype")
    .Attr("element_dtype: type")
    .Attr("Tshape: {int32, int64} = DT_INT32")
    .ShapeFunction(ItemShape);

Result<int64_t> IndexInput(const Tensor& value) {
  if (value.num_elements() == 1) return int64_t{*value.data<int32_t>()};
  return InvalidArgument("the index must be a scalar, but its shape is ", value.shape());
}

// A list is checked against the type that its reader wants.
Status CheckType(const OpKernelContext& context, const TensorList& list) {
  ASSIGN_OR_RETURN(const DType wanted, context.node().Attr<DType>("element_dtype"));
  if (list.dtype == wanted) return OkStatus();
  return InvalidArgument("the list holds ", DTypeName(list.dtype), ", not ", DTypeName(wanted));
}

class EmptyOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const DType dtype, context->node().Attr<DType>("element_dtype"));
    ASSIGN_OR_RETURN(PartialShape shape, ShapeInput(context->input(0)));
    if (context->input(1).num_elements() != 1) {
      return InvalidArgument("max_num_elements must be a scalar, but its shape is ",
                             context->input(1).shape());
    }
    ASSIGN_OR_RETURN(TensorList * list, NewList(context, dtype, std::move(shape)));
    list->max_length = *context->input(1).data<int32_t>();
    return OkStatus();
  }
};

class ReserveOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const DType dtype, context->node().Attr<DType>("element_dtype"));
    ASSIGN_OR_RETURN(PartialShape shape, ShapeInput(context->input(0)));
    ASSIGN_OR_RETURN(const int64_t length, LengthInput(context->input(1)));
    ASSIGN_OR_RETURN(TensorList * list, NewList(context, dtype, std::move(shape)));
    list->elements.resize(static_cast<size_t>(length));
    return OkStatus();
  }
};

class ResizeOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const int64_t length, LengthInput(context->input(1)));
    ASSIGN_OR_RETURN(TensorList * list, ChangedList(context));
    list->elements.resize(static_cast<size_t>(length));
    return OkStatus();
  }
};

class LengthOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const TensorList* list, ListIn(*context, 0));
    context->SetOutput(0, Tensor::Scalar<int32_t>(static_cast<int32_t>(list->size())));
    return OkStatus();
  }
};

class ElementShapeOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const TensorList* list, ListIn(*context, 0));
    std::vector<int64_t> dims = list->element_shape.dims();
    const bool known = list->element_shape.known_rank();
    if (!known) dims = {kUnknownDim};
    Tensor shape = context->node().output(0).dtype == DType::kInt64
                       ? Tensor::Vector(dims)
                       : Tensor::Vector(std::vector<int32_t>(dims.begin(), dims.end()));
    if (!known) {
      ASSIGN_OR_RETURN(shape, shape.Reshaped({}));
    }
    context->SetOutput(0, std::move(shape));
    return OkStatus();
  }
};

class PushBackOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const TensorList* before, ListIn(*context, 0));
    RETURN_IF_ERROR(before->CheckElement(context->input(1)));
    if (before->max_length != kUnknownDim && before->size() >= before->max_length) {
      return InvalidArgument("Tried to push item into a full list list size: ", before->size(),
                             " max_num_elements: ", before->max_length);
    }
    ASSIGN_OR_RETURN(Tensor value, context->input(1).Kept());
    ASSIGN_OR_RETURN(TensorList * list, ChangedList(context));
    list->elements.push_back(std::move(value));
    return OkStatus();
  }
};

class PopBackOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const TensorList* before, ListIn(*context, 0));
    RETURN_IF_ERROR(CheckType(*context, *before));
    if (before->elements.empty()) return InvalidArgument("Trying to pop from an empty list.");
    ASSIGN_OR_RETURN(const PartialShape shape, ShapeInput(context->input(1)));
    ASSIGN_OR_RETURN(Tensor last, before->Element(before->size() - 1, shape));
    ASSIGN_OR_RETURN(TensorList * list, ChangedList(context));
    list->elements.pop_back();
    context->SetOutput(1, std::move(last));
    return OkStatus();
  }
};

class SetItemOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const TensorList* before, ListIn(*context, 0));
    ASSIGN_OR_RETURN(const int64_t index, IndexInput(context->input(1)));
    ASSIGN_OR_RETURN(const bool grows, context->node().Attr<bool>("resize_if_index_out_of_bounds"));
    RETURN_IF_ERROR(before->CheckElement(context->input(2)));
    const int64_t limit = grows ? TensorList::kMaxLength : before->size();
    if (index < 0 || index >= limit) {
      return InvalidArgument("Trying to modify element ", index, " in a list with ",
                             before->size(), " elements.");
    }
    ASSIGN_OR_RETURN(Tensor value, context->input(2).Kept());
    ASSIGN_OR_RETURN(TensorList * list, ChangedList(context));
    if (index >= list->size()) list->elements.resize(static_cast<size_t>(index) + 1);
    list->elements[static_cast<size_t>(index)] = std::move(value);
    return OkStatus();
  }
};

class GetItemOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const TensorList* list, ListIn(*context, 0));
    RETURN_IF_ERROR(CheckType(*context, *list));
    ASSIGN_OR_RETURN(const int64_t index, IndexInput(context->input(1)));
    ASSIGN_OR_RETURN(const PartialShape shape, ShapeInput(context->input(2)));
    ASSIGN_OR_RETURN(Tensor item, list->Element(index, shape));
    context->SetOutput(0, std::move(item));
    return OkStatus();
  }
};

REGISTER_KERNEL(Kernel("EmptyTensorList").OnCpu(), EmptyOp);
REGISTER_KERNEL(Kernel("TensorListReserve").OnCpu(), ReserveOp);
REGISTER_KERNEL(Kernel("TensorListResize").OnCpu(), ResizeOp);
REGISTER_KERNEL(Kernel("TensorListLength").OnCpu(), LengthOp);
REGISTER_KERNEL(Kernel("TensorListElementShape").OnCpu(), ElementShapeOp);
REGISTER_KERNEL(Kernel("TensorListPushBack").OnCpu(), PushBackOp);
REGISTER_KERNEL(Kernel("TensorListPopBack").OnCpu(), PopBackOp);
REGISTER_KERNEL(Kernel("TensorListSetItem").OnCpu(), SetItemOp);
REGISTER_KERNEL(Kernel("TensorListGetItem").OnCpu(), GetItemOp);

}  // namespace
}  // namespace tfbuild
