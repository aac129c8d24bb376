// TensorArrays as a whole: many elements as rows of one tensor, and the array of their gradients.
#include <algorithm>
#include <cstring>

#include "kernels/control/tensor_array.h"

namespace tfbuild {
namespace {

Status GatherShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const PartialShape element, context->Attr<PartialShape>("element_shape"));
  if (!element.known_rank()) return OkStatus();
  ASSIGN_OR_RETURN(const PartialShape indices, context->WithRank(1, 1));
  std::vector<int64_t> dims = element.dims();
  dims.insert(dims.begin(), indices.dim(0));
  context->set_output(0, PartialShape(std::move(dims)));
  return OkStatus();
}

REGISTER_OP("TensorArrayGatherV3")
    .Input("handle: resource")
    .Input("indices: int32")
    .Input("flow_in: float")
    .Output("value: dtype")
    .Attr("dtype: type")
    .Attr("element_shape: shape = { unknown_rank: true }")
    .Stateful()
    .ShapeFunction(GatherShape);
REGISTER_OP("TensorArrayScatterV3")
    .Input("handle: resource")
    .Input("indices: int32")
    .Input("value: T")
    .Input("flow_in: float")
    .Output("flow_out: float")
    .Attr("T: type")
    .Stateful()
    .ShapeFunction(ScalarShape);
REGISTER_OP("TensorArrayGradV3")
    .Input("handle: resource")
    .Input("flow_in: float")
    .Output("grad_handle: resource")
    .Output("flow_out: float")
    .Attr("source: string")
    .Stateful()
    .ShapeFunction(HandleAndFlowShape);

// The numbers of the elements.
Result<std::vector<int64_t>> Indices(const Tensor& indices) {
  if (indices.rank() != 1) {
    return InvalidArgument("indices must be a vector, but their shape is ", indices.shape());
  }
  return indices.IntValues();
}

// Copies elements, strings and variants too, from one host tensor to a place in another.
void CopyElements(const Tensor& from, int64_t first, int64_t count, Tensor* to, int64_t place) {
  if (count == 0) return;
  if (from.dtype() == DType::kString) {
    std::copy_n(from.data<std::string>() + first, count, to->mutable_data<std::string>() + place);
    return;
  }
  if (from.dtype() == DType::kVariant) {
    std::copy_n(from.data<Variant>() + first, count, to->mutable_data<Variant>() + place);
    return;
  }
  const size_t size = static_cast<size_t>(DTypeSize(from.dtype()));
  std::memcpy(static_cast<char*>(to->raw()) + static_cast<size_t>(place) * size,
              static_cast<const char*>(from.raw()) + static_cast<size_t>(first) * size,
              static_cast<size_t>(count) * size);
}

class GatherOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(element_shape_, construction.Attr<PartialShape>("element_shape"));
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const auto array, ArrayOf(*context));
    ASSIGN_OR_RETURN(const std::vector<int64_t> indices, Indices(context->input(1)));
    if (array->dtype() != context->node().output(0).dtype) {
      return InvalidArgument("the array holds ", DTypeName(array->dtype()), ", not ",
                             DTypeName(context->node().output(0).dtype));
    }
    std::vector<Tensor> rows;
    for (const int64_t index : indices) {
      ASSIGN_OR_RETURN(Tensor row, array->Read(index));
      if (!rows.empty() && row.shape() != rows[0].shape()) {
        return InvalidArgument("elements of shapes ", rows[0].shape(), " and ", row.shape(),
                               " do not fit into one tensor");
      }
      rows.push_back(std::move(row));
    }
    PartialShape element = element_shape_;
    if (!rows.empty()) element = PartialShape(rows[0].shape());
    if (!element.fully_known()) {
      return InvalidArgument("without elements their shape must be known, not ", element);
    }
    std::vector<int64_t> dims = element.dims();
    dims.insert(dims.begin(), static_cast<int64_t>(rows.size()));
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make(std::move(dims)));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    int64_t place = 0;
    for (const Tensor& row : rows) {
      CopyElements(row, 0, row.num_elements(), output, place);
      place += row.num_elements();
    }
    return OkStatus();
  }

 private:
  PartialShape element_shape_;
};

class ScatterOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const auto array, ArrayOf(*context));
    ASSIGN_OR_RETURN(const std::vector<int64_t> indices, Indices(context->input(1)));
    const Tensor& value = context->input(2);
    const int64_t rows = static_cast<int64_t>(indices.size());
    if (value.rank() < 1 || value.dim(0) != rows) {
      return InvalidArgument("a value of shape ", value.shape(), " has not ", rows, " rows");
    }
    std::vector<int64_t> dims(value.shape().dims().begin() + 1, value.shape().dims().end());
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make(std::move(dims)));
    for (int64_t i = 0; i < rows; ++i) {
      ASSIGN_OR_RETURN(Tensor row, Tensor::Allocate(CpuAllocator(), value.dtype(), shape));
      CopyElements(value, i * shape.num_elements(), shape.num_elements(), &row, 0);
      RETURN_IF_ERROR(array->Write(indices[static_cast<size_t>(i)], row));
    }
    context->SetOutput(0, context->input(3));
    return OkStatus();
  }
};

class GradientOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(source_, construction.Attr<std::string>("source"));
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const auto array, ArrayOf(*context));
    ASSIGN_OR_RETURN(Tensor * handle, context->AllocateOutput(0, Shape{2}));
    int64_t* numbers = static_cast<int64_t*>(handle->raw());
    numbers[0] = array->GradientHandle(source_, context->step());
    numbers[1] = context->step()->id;
    context->SetOutput(1, context->input(1));
    return OkStatus();
  }

 private:
  std::string source_;
};

REGISTER_KERNEL(Kernel("TensorArrayGatherV3").OnCpu(), GatherOp);
REGISTER_KERNEL(Kernel("TensorArrayScatterV3").OnCpu(), ScatterOp);
REGISTER_KERNEL(Kernel("TensorArrayGradV3").OnCpu(), GradientOp);

}  // namespace
}  // namespace tfbuild
