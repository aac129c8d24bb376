// What a TensorList holds, and how its kernels find it.
#include <algorithm>

#include "kernels/control/tensor_list.h"

namespace tfbuild {

Result<PartialShape> TensorList::ShapeOfElements(const PartialShape& also) const {
  ASSIGN_OR_RETURN(PartialShape shape, element_shape.MergeWith(also));
  for (const Tensor& element : elements) {
    if (shape.fully_known()) break;
    if (!element.initialized()) continue;
    ASSIGN_OR_RETURN(shape, shape.MergeWith(PartialShape(element.shape())));
  }
  return shape;
}

Result<Tensor> TensorList::Element(int64_t index, const PartialShape& shape) const {
  if (index < 0 || index >= size()) {
    return InvalidArgument("Trying to access element ", index, " in a list with ", size(),
                           " elements.");
  }
  const Tensor& element = elements[static_cast<size_t>(index)];
  if (element.initialized()) {
    if (!shape.CompatibleWith(PartialShape(element.shape()))) {
      return InvalidArgument("element ", index, " has shape ", element.shape(),
                             ", which does not fit ", shape);
    }
    return element;
  }
  ASSIGN_OR_RETURN(const PartialShape known, ShapeOfElements(shape));
  if (!known.fully_known()) {
    return InvalidArgument("element ", index, " was never set, and its shape is only known to be ",
                           known);
  }
  ASSIGN_OR_RETURN(const Shape dims, Shape::Make(known.dims()));
  return HostZeros(dtype, dims);
}

Status TensorList::CheckElement(const Tensor& value) const {
  if (value.dtype() != dtype) {
    return InvalidArgument("a list of ", DTypeName(dtype), " takes no ", DTypeName(value.dtype()));
  }
  if (!element_shape.CompatibleWith(PartialShape(value.shape()))) {
    return InvalidArgument("an element of shape ", value.shape(), " does not fit ", element_shape);
  }
  return OkStatus();
}

Result<Variant> TensorList::ZerosLike() const {
  auto zeros = std::make_shared<TensorList>(*this);
  for (Tensor& element : zeros->elements) {
    if (!element.initialized()) continue;
    ASSIGN_OR_RETURN(element, HostZerosLike(element));
  }
  return Variant(std::move(zeros));
}

Result<Variant> TensorList::Plus(const VariantValue& other) const {
  const auto* list = dynamic_cast<const TensorList*>(&other);
  if (list == nullptr || list->dtype != dtype || list->size() != size()) {
    return InvalidArgument("two lists have no sum: one has ", size(), " elements of ",
                           DTypeName(dtype), ", the other ",
                           list == nullptr ? "is none" : StrCat(list->size(), " of ",
                                                                DTypeName(list->dtype)));
  }
  auto sum = std::make_shared<TensorList>(*this);
  ASSIGN_OR_RETURN(sum->element_shape, element_shape.MergeWith(list->element_shape));
  for (size_t i = 0; i < elements.size(); ++i) {
    const Tensor& element = list->elements[i];
    if (!elements[i].initialized() || !element.initialized()) {
      if (element.initialized()) sum->elements[i] = element;
      continue;
    }
    ASSIGN_OR_RETURN(sum->elements[i], HostSum(elements[i], element));
  }
  return Variant(std::move(sum));
}

Result<const TensorList*> ListIn(const OpKernelContext& context, int i) {
  const Tensor& handle = context.input(i);
  const TensorList* list =
      handle.dtype() == DType::kVariant && handle.rank() == 0
          ? dynamic_cast<const TensorList*>(handle.data<Variant>()->get())
          : nullptr;
  if (list == nullptr) return InvalidArgument("input ", i, " is no list of tensors");
  return list;
}

Result<TensorList*> ChangedList(OpKernelContext* context) {
  ASSIGN_OR_RETURN(const TensorList* list, ListIn(*context, 0));
  ASSIGN_OR_RETURN(Tensor * output, context->ForwardOrAllocateOutput({0}, 0, Shape{}));
  Variant* variant = output->mutable_data<Variant>();
  if (*variant == nullptr || variant->use_count() != 1) *variant = std::make_shared<TensorList>(*list);
  return static_cast<TensorList*>(variant->get());
}

Result<TensorList*> NewList(OpKernelContext* context, DType dtype, PartialShape element_shape) {
  auto list = std::make_shared<TensorList>();
  list->dtype = dtype;
  list->element_shape = std::move(element_shape);
  TensorList* made = list.get();
  context->SetOutput(0, Tensor::Scalar<Variant>(std::move(list)));
  return made;
}

Result<PartialShape> ShapeInput(const Tensor& value) {
  ASSIGN_OR_RETURN(std::vector<int64_t> dims, value.IntValues());
  if (value.rank() == 0) {
    if (dims[0] == kUnknownDim) return PartialShape();
    return InvalidArgument("a shape is a vector or -1, not the scalar ", dims[0]);
  }
  if (dims.size() > static_cast<size_t>(kMaxRank)) {
    return InvalidArgument("a shape of rank ", dims.size());
  }
  for (const int64_t dim : dims) {
    if (dim < kUnknownDim) return InvalidArgument("negative dimension ", dim, " in a shape");
  }
  return PartialShape(std::move(dims));
}

Result<int64_t> LengthInput(const Tensor& value) {
  if (value.num_elements() != 1) {
    return InvalidArgument("expected a scalar, but the shape is ", value.shape());
  }
  const int64_t length = *value.data<int32_t>();
  if (length < 0 || length > TensorList::kMaxLength) {
    return InvalidArgument("no list has ", length, " elements");
  }
  return length;
}

Status ListShape(ShapeContext* context) {
  context->set_output(0, PartialShape(std::vector<int64_t>{}));
  return OkStatus();
}

}  // namespace tfbuild
