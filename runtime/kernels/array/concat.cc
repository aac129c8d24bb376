// ConcatV2: tensors one after the other along an axis; ConcatOffset: where each of them begins.
#include <algorithm>

#include "kernels/framework/op_kernel.h"
#include "kernels/framework/shape_inputs.h"
#include "kernels/framework/strided_copy.h"

namespace tfbuild {
namespace {

// The axis may be unknown; then only ranks are checked.
Status ConcatShape(ShapeContext* context) {
  const int count = context->num_inputs() - 1;
  ASSIGN_OR_RETURN(const auto axis, KnownScalar(*context, count));
  PartialShape merged;
  int64_t total = 0;
  for (int i = 0; i < count; ++i) {
    const PartialShape& input = context->input(i);
    if (!input.known_rank()) {
      total = kUnknownDim;
      continue;
    }
    std::vector<int64_t> dims = input.dims();
    if (!axis) {
      dims.assign(dims.size(), kUnknownDim);
    } else {
      ASSIGN_OR_RETURN(const int at, CanonicalAxis(*axis, input.rank()));
      int64_t& dim = dims[static_cast<size_t>(at)];
      total = total == kUnknownDim || dim == kUnknownDim ? kUnknownDim : total + dim;
      dim = kUnknownDim;
    }
    ASSIGN_OR_RETURN(merged, merged.MergeWith(PartialShape(std::move(dims))));
  }
  if (merged.known_rank() && axis) {
    ASSIGN_OR_RETURN(const int at, CanonicalAxis(*axis, merged.rank()));
    std::vector<int64_t> dims = merged.dims();
    dims[static_cast<size_t>(at)] = total;
    merged = PartialShape(std::move(dims));
  }
  context->set_output(0, std::move(merged));
  return OkStatus();
}

Status ConcatOffsetShape(ShapeContext* context) {
  for (int i = 0; i < context->num_outputs(); ++i) context->set_output(i, context->input(i + 1));
  return OkStatus();
}

REGISTER_OP("ConcatV2")
    .Input("values: N * T")
    .Input("axis: Tidx")
    .Output("output: T")
    .Attr("N: int >= 2")
    .Attr("T: type")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .ShapeFunction(ConcatShape);

REGISTER_OP("ConcatOffset")
    .Input("concat_dim: int32")
    .Input("shape: N * shape_type")
    .Output("offset: N * shape_type")
    .Attr("N: int >= 2")
    .Attr("shape_type: {int32, int64} = DT_INT32")
    .ShapeFunction(ConcatOffsetShape);

// The shape of inputs 0 ... count-1 put together; they may differ along the axis only.
Result<Shape> ConcatenatedShape(OpKernelContext* context, int count, int axis) {
  std::vector<int64_t> dims = context->input(0).shape().dims();
  for (int i = 1; i < count; ++i) {
    const Shape& shape = context->input(i).shape();
    bool fits = shape.rank() == static_cast<int>(dims.size());
    for (int k = 0; fits && k < shape.rank(); ++k) {
      fits = k == axis || shape.dim(k) == dims[static_cast<size_t>(k)];
    }
    if (!fits) {
      return InvalidArgument("Dimensions of inputs should match: shape[0] = ",
                             context->input(0).shape(), " vs. shape[", i, "] = ", shape);
    }
    dims[static_cast<size_t>(axis)] += shape.dim(axis);
  }
  return Shape::Make(std::move(dims));
}

class ConcatOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const int count = context->num_inputs() - 1;
    ASSIGN_OR_RETURN(const int axis, AxisFrom(context->input(count), context->input(0).rank()));
    ASSIGN_OR_RETURN(const Shape shape, ConcatenatedShape(context, count, axis));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    if (shape.num_elements() == 0) return OkStatus();
    const int64_t stride = DenseStrides(shape.dims())[static_cast<size_t>(axis)];
    const int64_t row = stride * shape.dim(axis);
    int64_t position = 0;
    for (int i = 0; i < count; ++i) {
      const Tensor& input = context->input(i);
      const int64_t piece = stride * input.dim(axis);
      StridedCopy copy;
      copy.AddDim(shape.num_elements() / row, piece, row);
      copy.AddDim(piece, 1, 1);
      copy.to = position;
      RETURN_IF_ERROR(RunStridedCopy(context, copy, input, output));
      position += piece;
    }
    return OkStatus();
  }
};

template <typename T>
class ConcatOffsetOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const std::vector<int64_t> first, VectorFrom(context->input(1), "shape"));
    ASSIGN_OR_RETURN(const int axis,
                     AxisFrom(context->input(0), static_cast<int>(first.size())));
    const size_t at = static_cast<size_t>(axis);
    int64_t position = 0;
    for (int i = 0; i < context->num_outputs(); ++i) {
      ASSIGN_OR_RETURN(const std::vector<int64_t> dims, VectorFrom(context->input(i + 1), "shape"));
      bool fits = dims.size() == first.size();
      for (size_t k = 0; fits && k < dims.size(); ++k) fits = k == at || dims[k] == first[k];
      if (!fits) {
        return InvalidArgument("All dimensions except ", axis, " must match. Input ", i,
                               " has shape [", StrJoin(dims, " "),
                               "] and doesn't match input 0 with shape [", StrJoin(first, " "),
                               "]");
      }
      ASSIGN_OR_RETURN(Tensor * offset, context->AllocateOutput(i, context->input(1).shape()));
      T* values = offset->mutable_data<T>();
      std::fill_n(values, dims.size(), T(0));
      values[at] = static_cast<T>(position);
      if (dims[at] < 0 || dims[at] > kMaxElements - position) {
        return InvalidArgument("shape [", StrJoin(dims, " "), "] of input ", i, " is not valid");
      }
      position += dims[at];
    }
    return OkStatus();
  }
};

REGISTER_KERNEL(Kernel("ConcatV2").OnCpu(), ConcatOp);
REGISTER_KERNEL(Kernel("ConcatV2").OnGpu().HostMemory("axis"), ConcatOp);

#define REGISTER(T)                                                                 \
  REGISTER_KERNEL(Kernel("ConcatOffset").OnCpu().Type<T>("shape_type"), ConcatOffsetOp<T>); \
  REGISTER_KERNEL(Kernel("ConcatOffset")                                            \
                      .OnGpu()                                                      \
                      .Type<T>("shape_type")                                        \
                      .HostMemory("concat_dim")                                     \
                      .HostMemory("shape")                                          \
                      .HostMemory("offset"),                                        \
                  ConcatOffsetOp<T>);
REGISTER(int32_t)
REGISTER(int64_t)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
