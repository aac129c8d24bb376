// TensorArrays: tensors by number that live as long as a step. Loops write and read them, and their
// gradients keep in them what a loop has computed. Operations on one array are ordered by its flow, a
// number that each hands on.
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/step_context.h"

namespace tfbuild {
namespace {

// More would be a mistake, and its bookkeeping alone a gigabyte.
constexpr int64_t kMaxLength = int64_t{1} << 24;

Status ArrayShape(ShapeContext* context) {
  context->set_output(0, PartialShape({2}));
  context->set_output(1, PartialShape(std::vector<int64_t>{}));
  return OkStatus();
}

REGISTER_OP("TensorArrayV3")
    .Input("size: int32")
    .Output("handle: resource")
    .Output("flow: float")
    .Attr("dtype: type")
    .Attr("element_shape: shape = { unknown_rank: true }")
    .Attr("dynamic_size: bool = false")
    .Attr("clear_after_read: bool = true")
    .Attr("identical_element_shapes: bool = false")
    .Attr("tensor_array_name: string = ''")
    .Stateful()
    .ShapeFunction(ArrayShape);
REGISTER_OP("TensorArrayWriteV3")
    .Input("handle: resource")
    .Input("index: int32")
    .Input("value: T")
    .Input("flow_in: float")
    .Output("flow_out: float")
    .Attr("T: type")
    .Stateful()
    .ShapeFunction(ScalarShape);
REGISTER_OP("TensorArrayReadV3")
    .Input("handle: resource")
    .Input("index: int32")
    .Input("flow_in: float")
    .Output("value: dtype")
    .Attr("dtype: type")
    .Stateful()
    .ShapeFunction(UnknownShape);
REGISTER_OP("TensorArraySizeV3")
    .Input("handle: resource")
    .Input("flow_in: float")
    .Output("size: int32")
    .Stateful()
    .ShapeFunction(ScalarShape);
REGISTER_OP("TensorArrayCloseV3").Input("handle: resource").Stateful().ShapeFunction(NoOutputs);

// One array of a step; thread-safe.
class TensorArray final : public StepResource {
 public:
  struct Options {
    DType dtype = DType::kInvalid;
    PartialShape element_shape;
    bool grows = false;
    bool clears = true;
  };
  TensorArray(int64_t size, Options options)
      : options_(std::move(options)), elements_(static_cast<size_t>(size)) {}

  Status Write(int64_t index, const Tensor& value) {
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
    if (element.value.initialized() || element.was_read) {
      return InvalidArgument("could not write to index ", index, " because it has already been ",
                             element.was_read ? "read" : "written to");
    }
    element.value = value;
    return OkStatus();
  }

  Result<Tensor> Read(int64_t index) {
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
      return InvalidArgument("could not read from index ", index,
                             " because it has not been written to");
    }
    element.was_read = true;
    Tensor value = element.value;
    if (options_.clears) element.value = Tensor();
    return value;
  }

  int64_t size() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return static_cast<int64_t>(elements_.size());
  }

 private:
  struct Element {
    Tensor value;
    bool was_read = false;
  };
  const Options options_;
  mutable std::mutex mutex_;
  std::vector<Element> elements_;
};

Result<int64_t> HandleOf(const OpKernelContext& context) {
  const Tensor& handle = context.input(0);
  if (handle.dtype() != DType::kResource || handle.num_elements() < 1) {
    return InvalidArgument("input 0 is no handle");
  }
  if (context.step() == nullptr) return FailedPrecondition("only a step has arrays");
  return *static_cast<const int64_t*>(handle.raw());
}

Result<std::shared_ptr<TensorArray>> ArrayOf(const OpKernelContext& context) {
  ASSIGN_OR_RETURN(const int64_t handle, HandleOf(context));
  return context.step()->Find<TensorArray>(handle);
}

Result<int64_t> IntFrom(const Tensor& value, const char* name) {
  if (value.num_elements() != 1 || value.dtype() != DType::kInt32) {
    return InvalidArgument(name, " must be a scalar, but its shape is ", value.shape());
  }
  return *value.data<int32_t>();
}

class TensorArrayOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(options_.dtype, construction.Attr<DType>("dtype"));
    ASSIGN_OR_RETURN(options_.element_shape, construction.Attr<PartialShape>("element_shape"));
    ASSIGN_OR_RETURN(options_.grows, construction.Attr<bool>("dynamic_size"));
    ASSIGN_OR_RETURN(options_.clears, construction.Attr<bool>("clear_after_read"));
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const int64_t size, IntFrom(context->input(0), "size"));
    if (size < 0 || size > kMaxLength) return InvalidArgument("no array has ", size, " elements");
    if (context->step() == nullptr) return FailedPrecondition("only a step has arrays");
    ASSIGN_OR_RETURN(Tensor * handle, context->AllocateOutput(0, Shape{2}));
    int64_t* numbers = static_cast<int64_t*>(handle->raw());
    numbers[0] = context->step()->Keep(std::make_shared<TensorArray>(size, options_));
    numbers[1] = context->step()->id;
    context->SetOutput(1, Tensor::Scalar<float>(0));
    return OkStatus();
  }

 private:
  TensorArray::Options options_;
};

class TensorArrayWriteOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const auto array, ArrayOf(*context));
    ASSIGN_OR_RETURN(const int64_t index, IntFrom(context->input(1), "index"));
    RETURN_IF_ERROR(array->Write(index, context->input(2)));
    context->SetOutput(0, context->input(3));
    return OkStatus();
  }
};

class TensorArrayReadOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const auto array, ArrayOf(*context));
    ASSIGN_OR_RETURN(const int64_t index, IntFrom(context->input(1), "index"));
    ASSIGN_OR_RETURN(Tensor value, array->Read(index));
    context->SetOutput(0, std::move(value));
    return OkStatus();
  }
};

class TensorArraySizeOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const auto array, ArrayOf(*context));
    context->SetOutput(0, Tensor::Scalar<int32_t>(static_cast<int32_t>(array->size())));
    return OkStatus();
  }
};

class TensorArrayCloseOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const int64_t handle, HandleOf(*context));
    context->step()->Drop(handle);
    return OkStatus();
  }
};

REGISTER_KERNEL(Kernel("TensorArrayV3").OnCpu(), TensorArrayOp);
REGISTER_KERNEL(Kernel("TensorArrayWriteV3").OnCpu(), TensorArrayWriteOp);
REGISTER_KERNEL(Kernel("TensorArrayReadV3").OnCpu(), TensorArrayReadOp);
REGISTER_KERNEL(Kernel("TensorArraySizeV3").OnCpu(), TensorArraySizeOp);
REGISTER_KERNEL(Kernel("TensorArrayCloseV3").OnCpu(), TensorArrayCloseOp);

}  // namespace
}  // namespace tfbuild
