// What a TensorArray holds, and how its kernels find it.
#include "kernels/control/tensor_array.h"

#include "kernels/framework/add_tensors.h"
#include "kernels/framework/strided_copy.h"

namespace tfbuild {
namespace {

Result<Tensor> Zeros(DType dtype, const Shape& shape, OpKernelContext* context) {
  ASSIGN_OR_RETURN(Tensor zeros, context->AllocateTemp(dtype, shape));
  RETURN_IF_ERROR(RunZero(context, &zeros));
  return zeros;
}

}  // namespace

Status TensorArray::Write(int64_t index, const Tensor& value, OpKernelContext* context) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (value.dtype() != options_.dtype) {
    return InvalidArgument("the array holds ", DTypeName(options_.dtype), ", not ",
                           DTypeName(value.dtype()));
  }
  if (!options_.element_shape.CompatibleWith(PartialShape(value.shape()))) {
    return InvalidArgument("an element of shape ", value.shape(), " does not fit ",
                           options_.element_shape);
  }
  if (index < 0 || index >= kMaxLength) return InvalidArgument("no element has number ", index);
  if (static_cast<size_t>(index) >= elements_.size()) {
    if (!options_.grows) {
      return InvalidArgument("tried to write to index ", index, " but array is not resizeable and "
                             "size is: ", elements_.size());
    }
    elements_.resize(static_cast<size_t>(index) + 1);
  }
  Element& element = elements_[static_cast<size_t>(index)];
  if (options_.adds && element.value.initialized()) return Add(value, &element, context);
  if (element.was_written || element.was_read) {
    return InvalidArgument("could not write to index ", index, " because it has already been ",
                           element.was_read ? "read" : "written to");
  }
  element.value = value;
  element.shape = value.shape();
  element.was_written = true;
  return OkStatus();
}

Status TensorArray::Add(const Tensor& value, Element* element, OpKernelContext* context) {
  if (value.shape() != element->value.shape()) {
    return InvalidArgument("a gradient of shape ", value.shape(), " is added to one of shape ",
                           element->value.shape());
  }
  ASSIGN_OR_RETURN(element->value, AddTensors(context, element->value, value));
  return OkStatus();
}

Result<Tensor> TensorArray::Read(int64_t index, OpKernelContext* context) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (index < 0 || static_cast<size_t>(index) >= elements_.size()) {
    return InvalidArgument("tried to read from index ", index, " but array size is: ",
                           elements_.size());
  }
  Element& element = elements_[static_cast<size_t>(index)];
  if (element.was_read && options_.clears) {
    return InvalidArgument("could not read index ", index,
                           " twice because it was cleared after a previous read");
  }
  if (!element.value.initialized()) {
    if (options_.adds) return Zeros(options_.dtype, element.shape, context);
    return InvalidArgument("could not read from index ", index,
                           " because it has not been written to");
  }
  element.was_read = true;
  Tensor value = element.value;
  if (options_.clears) element.value = Tensor();
  return value;
}

int64_t TensorArray::size() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<int64_t>(elements_.size());
}

int64_t TensorArray::GradientHandle(const std::string& source, StepContext* context) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto [found, is_new] = gradients_.emplace(source, 0);
  if (is_new) {
    Options options = options_;
    options.clears = false;
    options.adds = true;
    auto gradient = std::make_shared<TensorArray>(static_cast<int64_t>(elements_.size()), options);
    for (size_t i = 0; i < elements_.size(); ++i) {
      gradient->elements_[i].shape = elements_[i].shape;
    }
    found->second = context->resources.Add(std::move(gradient));
  }
  return found->second;
}

Result<std::shared_ptr<TensorArray>> ArrayOf(const OpKernelContext& context) {
  return ResourceAt<TensorArray>(context, 0);
}

Result<int64_t> IntFrom(const Tensor& value, const char* name) {
  if (value.num_elements() != 1 || value.dtype() != DType::kInt32) {
    return InvalidArgument(name, " must be a scalar, but its shape is ", value.shape());
  }
  return *value.data<int32_t>();
}

}  // namespace tfbuild
