// Bitcast: the same bytes as elements of another type.
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {
namespace {

// A wider type takes the last dimension, which holds as many elements as make one of it; a
// narrower one adds it.
Result<std::vector<int64_t>> CastDims(std::vector<int64_t> dims, DType from, DType to) {
  const int64_t given = DTypeSize(from), wanted = DTypeSize(to);
  if (given == 0 || wanted == 0) {
    return InvalidArgument("Cannot bitcast between ", DTypeName(from), " and ", DTypeName(to));
  }
  if (given > wanted) dims.push_back(given / wanted);
  if (given < wanted) {
    if (dims.empty() || (dims.back() != kUnknownDim && dims.back() != wanted / given)) {
      return InvalidArgument("Cannot bitcast from ", DTypeName(from), " to ", DTypeName(to),
                             ": the last dimension must have size ", wanted / given);
    }
    dims.pop_back();
  }
  return dims;
}

Status BitcastShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const DType from, context->Attr<DType>("T"));
  ASSIGN_OR_RETURN(const DType to, context->Attr<DType>("type"));
  if (!context->input(0).known_rank()) return OkStatus();
  ASSIGN_OR_RETURN(std::vector<int64_t> dims, CastDims(context->input(0).dims(), from, to));
  context->set_output(0, PartialShape(std::move(dims)));
  return OkStatus();
}

REGISTER_OP("Bitcast")
    .Input("input: T")
    .Output("output: type")
    .Attr("T: {bfloat16, half, float, double, int64, int32, uint8, uint16, int8, int16, complex64, "
          "complex128, uint32, uint64}")
    .Attr("type: {bfloat16, half, float, double, int64, int32, uint8, uint16, int8, int16, "
          "complex64, complex128, uint32, uint64}")
    .ShapeFunction(BitcastShape);

class BitcastOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(type_, construction.Attr<DType>("type"));
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    ASSIGN_OR_RETURN(std::vector<int64_t> dims,
                     CastDims(input.shape().dims(), input.dtype(), type_));
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
    context->SetOutput(0, Tensor(type_, shape, input.buffer()));
    return OkStatus();
  }

 private:
  DType type_ = DType::kInvalid;
};

REGISTER_KERNEL(Kernel("Bitcast").OnCpu(), BitcastOp);

}  // namespace
}  // namespace tfbuild
