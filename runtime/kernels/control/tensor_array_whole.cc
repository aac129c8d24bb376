// TensorArrays as a whole: many elements as rows of one tensor, and the array of their gradients.
#include "kernels/control/tensor_array.h"
#include "kernels/framework/strided_copy.h"

namespace tfbuild {
namespace {

Status ArrayGatherShape(ShapeContext* context) {
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
    .ShapeFunction(ArrayGatherShape);
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

// Copies neighbours from a place in one tensor to a place in another.
Status CopyElements(OpKernelContext* context, const Tensor& from, int64_t first, int64_t count,
                    Tensor* to, int64_t place) {
  StridedCopy copy;
  copy.AddDim(count, 1, 1);
  copy.from = first;
  copy.to = place;
  return RunStridedCopy(context, copy, from, to);
}

class TensorArrayGatherOp final : public OpKernel {
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
      ASSIGN_OR_RETURN(Tensor row, array->Read(index, context));
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
      RETURN_IF_ERROR(CopyElements(context, row, 0, row.num_elements(), output, place));
      place += row.num_elements();
    }
    return OkStatus();
  }

 private:
  PartialShape element_shape_;
};

class TensorArrayScatterOp final : public OpKernel {
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
      ASSIGN_OR_RETURN(Tensor row, context->AllocateTemp(value.dtype(), shape));
      const int64_t count = shape.num_elements();
      RETURN_IF_ERROR(CopyElements(context, value, i * count, count, &row, 0));
      RETURN_IF_ERROR(array->Write(indices[static_cast<size_t>(i)], row, context));
    }
    context->SetOutput(0, context->input(3));
    return OkStatus();
  }
};

class TensorArrayGradientOp final : public OpKernel {
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

TFBUILD_ARRAY_KERNEL("TensorArrayGatherV3", TensorArrayGatherOp)
TFBUILD_ARRAY_KERNEL("TensorArrayScatterV3", TensorArrayScatterOp)
TFBUILD_ARRAY_KERNEL("TensorArrayGradV3", TensorArrayGradientOp)

}  // namespace
}  // namespace tfbuild
