// StridedSlice: x[begin:end:stride, ..., new axis, index] as NumPy writes it; StridedSliceGrad puts
// a gradient back where the slice was taken, StridedSliceAssign a value there in a variable.
#include <algorithm>

#include "kernels/framework/op_kernel.h"
#include "kernels/framework/resource_inputs.h"
#include "kernels/framework/shape_inputs.h"
#include "kernels/framework/strided_copy.h"
#include "kernels/framework/variable.h"

namespace tfbuild {
namespace {

// What is written between the brackets. Bit i of a mask speaks of item i: its begin or end is left
// out, it is an ellipsis, a new axis, or a single index whose dimension goes away.
struct SliceSpec {
  std::vector<int64_t> begin;
  std::vector<int64_t> end;
  std::vector<int64_t> strides;
  bool bounds_known = true;  // else begin and end are not looked at: a graph is being built
  int64_t begin_mask = 0;
  int64_t end_mask = 0;
  int64_t ellipsis_mask = 0;
  int64_t new_axis_mask = 0;
  int64_t shrink_axis_mask = 0;
};

constexpr size_t kMaxItems = 62;  // bits of a mask

bool Bit(int64_t mask, size_t i) { return (mask >> i & 1) != 0; }

// What becomes of one dimension of the input, or of none for a new axis.
struct SliceAxis {
  int64_t begin = 0;
  int64_t size = 1;  // kUnknownDim when the dimension is not known
  int64_t stride = 1;
  bool is_new = false;
  bool is_kept = true;  // appears in the output
};

// Item i of the specification applied to a dimension of that size.
Result<SliceAxis> SliceDimension(const SliceSpec& spec, size_t i, int64_t dim, size_t axis) {
  SliceAxis slice;
  slice.stride = spec.strides[i];
  if (slice.stride == 0) return InvalidArgument("strides[", i, "] must be non-zero");
  const bool forward = slice.stride > 0;
  slice.is_kept = !Bit(spec.shrink_axis_mask, i);
  if (!slice.is_kept && !forward) {
    return InvalidArgument("only stride 1 allowed on non-range indexing.");
  }
  const auto from_end = [dim](int64_t x) { return x < 0 ? x + dim : x; };
  const bool whole = Bit(spec.begin_mask, i) && Bit(spec.end_mask, i);
  if (dim == kUnknownDim || (!spec.bounds_known && (!slice.is_kept || !whole))) {
    slice.size = slice.is_kept ? kUnknownDim : 1;
    return slice;
  }
  if (!slice.is_kept) {
    slice.begin = from_end(spec.begin[i]);
    slice.stride = 1;
    if (slice.begin >= 0 && slice.begin < dim) return slice;
    return InvalidArgument("slice index ", spec.begin[i], " of dimension ", axis,
                           " out of bounds.");
  }
  const int64_t low = forward ? 0 : -1;
  const int64_t high = forward ? dim : dim - 1;
  const auto clamp = [=](int64_t x) { return std::min(std::max(from_end(x), low), high); };
  slice.begin = Bit(spec.begin_mask, i) ? (forward ? low : high) : clamp(spec.begin[i]);
  const int64_t end = Bit(spec.end_mask, i) ? (forward ? high : low) : clamp(spec.end[i]);
  const int64_t length = end - slice.begin;
  const bool empty = length == 0 || (length < 0) == forward;
  slice.size = empty ? 0 : length / slice.stride + (length % slice.stride != 0 ? 1 : 0);
  // A stride that leads out at once does not matter, and might overflow offsets.
  if (slice.size <= 1) slice.stride = 1;
  return slice;
}

// The specification spelled out for each dimension of the input. An ellipsis, or else the end of
// the specification, stands for all dimensions that have no item.
Result<std::vector<SliceAxis>> ResolveSlice(const SliceSpec& spec,
                                            const std::vector<int64_t>& dims) {
  const size_t items = spec.strides.size();
  if (items > kMaxItems || spec.begin.size() != items || spec.end.size() != items) {
    return InvalidArgument("begin, end and strides must have one length of at most ", kMaxItems,
                           ", not ", spec.begin.size(), ", ", spec.end.size(), " and ", items);
  }
  size_t ellipsis = items;
  size_t used = 0;
  for (size_t i = 0; i < items; ++i) {
    if (Bit(spec.ellipsis_mask, i)) {
      if (ellipsis < items) return InvalidArgument("Multiple ellipses in slice spec not allowed");
      ellipsis = i;
    } else if (!Bit(spec.new_axis_mask, i)) {
      ++used;
    }
  }
  if (used > dims.size()) {
    return InvalidArgument("Index out of range using input dim ", dims.size(),
                           "; input has only ", dims.size(), " dims");
  }
  std::vector<SliceAxis> axes;
  size_t next = 0;
  for (size_t i = 0; i <= items; ++i) {
    if (i == ellipsis) {
      for (size_t k = used; k < dims.size(); ++k) {
        axes.emplace_back();
        axes.back().size = dims[next++];
      }
    } else if (i < items && Bit(spec.new_axis_mask, i)) {
      axes.emplace_back();
      axes.back().is_new = true;
    } else if (i < items) {
      ASSIGN_OR_RETURN(const SliceAxis slice, SliceDimension(spec, i, dims[next], next));
      axes.push_back(slice);
      ++next;
    }
  }
  return axes;
}

std::vector<int64_t> OutputDims(const std::vector<SliceAxis>& axes) {
  std::vector<int64_t> dims;
  for (const SliceAxis& axis : axes) {
    if (axis.is_kept) dims.push_back(axis.size);
  }
  return dims;
}

template <typename Context>
Status ReadMasks(const Context& context, SliceSpec* spec) {
  ASSIGN_OR_RETURN(spec->begin_mask, context.template Attr<int64_t>("begin_mask"));
  ASSIGN_OR_RETURN(spec->end_mask, context.template Attr<int64_t>("end_mask"));
  ASSIGN_OR_RETURN(spec->ellipsis_mask, context.template Attr<int64_t>("ellipsis_mask"));
  ASSIGN_OR_RETURN(spec->new_axis_mask, context.template Attr<int64_t>("new_axis_mask"));
  ASSIGN_OR_RETURN(spec->shrink_axis_mask, context.template Attr<int64_t>("shrink_axis_mask"));
  return OkStatus();
}

Status StridedSliceShape(ShapeContext* context) {
  SliceSpec spec;
  RETURN_IF_ERROR(ReadMasks(*context, &spec));
  ASSIGN_OR_RETURN(const auto begin, KnownInts(*context, 1));
  ASSIGN_OR_RETURN(const auto end, KnownInts(*context, 2));
  ASSIGN_OR_RETURN(const auto strides, KnownInts(*context, 3));
  if (!strides || !context->input(0).known_rank()) return OkStatus();
  spec.bounds_known = begin && end;
  spec.strides = *strides;
  const std::vector<int64_t> nothing(strides->size(), 0);
  spec.begin = spec.bounds_known ? *begin : nothing;
  spec.end = spec.bounds_known ? *end : nothing;
  ASSIGN_OR_RETURN(const auto axes, ResolveSlice(spec, context->input(0).dims()));
  context->set_output(0, PartialShape(OutputDims(axes)));
  return OkStatus();
}

Status StridedSliceGradShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(PartialShape shape, context->input_as_shape(0));
  context->set_output(0, std::move(shape));
  return OkStatus();
}

REGISTER_OP("StridedSlice")
    .Input("input: T")
    .Input("begin: Index")
    .Input("end: Index")
    .Input("strides: Index")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Index: {int16, int32, int64}")
    .Attr("begin_mask: int = 0")
    .Attr("end_mask: int = 0")
    .Attr("ellipsis_mask: int = 0")
    .Attr("new_axis_mask: int = 0")
    .Attr("shrink_axis_mask: int = 0")
    .ShapeFunction(StridedSliceShape);

REGISTER_OP("StridedSliceGrad")
    .Input("shape: Index")
    .Input("begin: Index")
    .Input("end: Index")
    .Input("strides: Index")
    .Input("dy: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Index: {int32, int64}")
    .Attr("begin_mask: int = 0")
    .Attr("end_mask: int = 0")
    .Attr("ellipsis_mask: int = 0")
    .Attr("new_axis_mask: int = 0")
    .Attr("shrink_axis_mask: int = 0")
    .ShapeFunction(StridedSliceGradShape);

REGISTER_OP("StridedSliceAssign")
    .Input("ref: Ref(T)")
    .Input("begin: Index")
    .Input("end: Index")
    .Input("strides: Index")
    .Input("value: T")
    .Output("output_ref: Ref(T)")
    .Attr("T: type")
    .Attr("Index: {int32, int64}")
    .Attr("begin_mask: int = 0")
    .Attr("end_mask: int = 0")
    .Attr("ellipsis_mask: int = 0")
    .Attr("new_axis_mask: int = 0")
    .Attr("shrink_axis_mask: int = 0")
    .ShapeFunction(UnchangedShape);

REGISTER_OP("ResourceStridedSliceAssign")
    .Input("ref: resource")
    .Input("begin: Index")
    .Input("end: Index")
    .Input("strides: Index")
    .Input("value: T")
    .Attr("T: type")
    .Attr("Index: {int32, int64}")
    .Attr("begin_mask: int = 0")
    .Attr("end_mask: int = 0")
    .Attr("ellipsis_mask: int = 0")
    .Attr("new_axis_mask: int = 0")
    .Attr("shrink_axis_mask: int = 0")
    .Stateful()
    .ShapeFunction(NoOutputs);

// Inputs 1 to 3 hold begin, end and strides in all these ops.
class SliceKernel : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    return ReadMasks(construction, &masks_);
  }

 protected:
  Result<std::vector<SliceAxis>> Resolve(OpKernelContext* context, const Shape& shape) const {
    SliceSpec spec = masks_;
    ASSIGN_OR_RETURN(spec.begin, VectorFrom(context->input(1), "begin"));
    ASSIGN_OR_RETURN(spec.end, VectorFrom(context->input(2), "end"));
    ASSIGN_OR_RETURN(spec.strides, VectorFrom(context->input(3), "strides"));
    return ResolveSlice(spec, shape.dims());
  }

  // Puts a dense tensor where the slice of another one, of that shape, is.
  static Status PutBack(OpKernelContext* context, const std::vector<SliceAxis>& axes,
                        const Shape& shape, const Tensor& part, Tensor* whole) {
    if (part.num_elements() == 0) return OkStatus();
    StridedCopy copy = CopyOf(axes, shape);
    std::swap(copy.from_strides, copy.to_strides);
    std::swap(copy.from, copy.to);
    return RunStridedCopy(context, copy, part, whole);
  }

  // From inside a tensor of that shape to a dense one.
  static StridedCopy CopyOf(const std::vector<SliceAxis>& axes, const Shape& shape) {
    const std::vector<int64_t> strides = DenseStrides(shape.dims());
    StridedCopy copy;
    size_t next = 0;
    for (const SliceAxis& axis : axes) {
      if (axis.is_new) continue;
      copy.AddDim(axis.size, axis.stride * strides[next], 0);
      copy.from += axis.begin * strides[next++];
    }
    copy.to_strides = DenseStrides(copy.dims);
    return copy;
  }

 private:
  SliceSpec masks_;
};

class StridedSliceOp final : public SliceKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    ASSIGN_OR_RETURN(const auto axes, Resolve(context, input.shape()));
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make(OutputDims(axes)));
    bool whole = shape.num_elements() == input.num_elements();
    for (const SliceAxis& axis : axes) whole = whole && axis.stride == 1;
    if (whole) {
      ASSIGN_OR_RETURN(Tensor same, input.Reshaped(shape));
      context->SetOutput(0, std::move(same));
      return OkStatus();
    }
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    if (shape.num_elements() == 0) return OkStatus();
    return RunStridedCopy(context, CopyOf(axes, input.shape()), input, output);
  }
};

class StridedSliceGradOp final : public SliceKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& dy = context->input(4);
    ASSIGN_OR_RETURN(const Shape shape, ShapeFrom(context->input(0), "shape"));
    ASSIGN_OR_RETURN(const auto axes, Resolve(context, shape));
    ASSIGN_OR_RETURN(const Shape sliced, Shape::Make(OutputDims(axes)));
    if (dy.shape() != sliced) {
      return InvalidArgument("shape of dy was ", dy.shape(), " instead of ", sliced);
    }
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    RETURN_IF_ERROR(RunZero(context, output));
    return PutBack(context, axes, shape, dy, output);
  }
};

class StridedSliceAssignOp final : public SliceKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const std::shared_ptr<Variable> variable, VariableAt(*context, 0));
    const std::lock_guard<std::mutex> lock(variable->mutex);
    const StopScope not_stopped(nullptr);
    ASSIGN_OR_RETURN(Tensor * whole, context->MutableValue(variable.get()));
    ASSIGN_OR_RETURN(const auto axes, Resolve(context, whole->shape()));
    ASSIGN_OR_RETURN(const Shape sliced, Shape::Make(OutputDims(axes)));
    const Tensor& value = context->input(4);
    if (value.dtype() != whole->dtype()) {
      return InvalidArgument("the variable holds ", DTypeName(whole->dtype()), ", not ",
                             DTypeName(value.dtype()));
    }
    if (value.shape() != sliced) {
      return InvalidArgument("the slice has shape ", sliced, ", but its new value has shape ",
                             value.shape());
    }
    RETURN_IF_ERROR(PutBack(context, axes, whole->shape(), value, whole));
    if (context->num_outputs() > 0) context->SetOutputVariable(0, context->input_variable(0));
    return OkStatus();
  }
};

REGISTER_KERNEL(Kernel("StridedSlice").OnCpu(), StridedSliceOp);
REGISTER_KERNEL(
    Kernel("StridedSlice").OnGpu().HostMemory("begin").HostMemory("end").HostMemory("strides"),
    StridedSliceOp);
REGISTER_KERNEL(Kernel("StridedSliceGrad").OnCpu(), StridedSliceGradOp);
REGISTER_KERNEL(Kernel("StridedSliceGrad")
                    .OnGpu()
                    .HostMemory("shape")
                    .HostMemory("begin")
                    .HostMemory("end")
                    .HostMemory("strides"),
                StridedSliceGradOp);
REGISTER_KERNEL(Kernel("ResourceStridedSliceAssign").OnCpu(), StridedSliceAssignOp);
REGISTER_KERNEL(Kernel("ResourceStridedSliceAssign")
                    .OnGpu()
                    .HostMemory("ref")
                    .HostMemory("begin")
                    .HostMemory("end")
                    .HostMemory("strides"),
                StridedSliceAssignOp);
REGISTER_KERNEL(Kernel("StridedSliceAssign").OnCpu(), StridedSliceAssignOp);
REGISTER_KERNEL(Kernel("StridedSliceAssign")
                    .OnGpu()
                    .HostMemory("begin")
                    .HostMemory("end")
                    .HostMemory("strides"),
                StridedSliceAssignOp);

}  // namespace
}  // namespace tfbuild
