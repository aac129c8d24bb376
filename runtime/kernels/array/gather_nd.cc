// GatherNd: slices of a tensor that several coordinates name. ScatterNd puts slices into zeros
// there, and adds up those of one place. Where coordinates outside are ignored, their slices are zeros
// or not put anywhere.
#include <algorithm>
#include <string>

#include "base/parallel_fill.h"
#include "base/stop_look.h"
#include "graph/shape_context.h"
#include "kernels/framework/checked_indices.h"
#include "kernels/framework/functors.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/shape_inputs.h"
#include "tensor/complex.h"
#include "tensor/variant.h"

namespace tfbuild {
namespace {

// indices.dims[:-1] + params.dims[depth:], as far as they are known.
Result<PartialShape> SlicesShape(const PartialShape& indices, const PartialShape& params) {
  if (!indices.known_rank() || !params.known_rank()) return PartialShape();
  const int64_t depth = indices.dims().back();
  if (depth == kUnknownDim) return PartialShape();
  if (depth > params.rank()) {
    return InvalidArgument("indices.shape[-1] must be <= params.rank, but saw indices shape: ",
                           indices, " and params shape: ", params);
  }
  std::vector<int64_t> dims(indices.dims().begin(), indices.dims().end() - 1);
  dims.insert(dims.end(), params.dims().begin() + depth, params.dims().end());
  return PartialShape(std::move(dims));
}

Status GatherNdShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRankAtLeast(1, 1));
  ASSIGN_OR_RETURN(PartialShape shape, SlicesShape(context->input(1), context->input(0)));
  context->set_output(0, std::move(shape));
  return OkStatus();
}

Status ScatterNdShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRankAtLeast(0, 1));
  ASSIGN_OR_RETURN(PartialShape shape, context->input_as_shape(2));
  ASSIGN_OR_RETURN(const PartialShape slices, SlicesShape(context->input(0), shape));
  RETURN_IF_ERROR(slices.MergeWith(context->input(1)).status());
  context->set_output(0, std::move(shape));
  return OkStatus();
}

REGISTER_OP("GatherNd")
    .Input("params: Tparams")
    .Input("indices: Tindices")
    .Output("output: Tparams")
    .Attr("Tparams: type")
    .Attr("Tindices: {int16, int32, int64}")
    .Attr("bad_indices_policy: string = ''")
    .ShapeFunction(GatherNdShape);

REGISTER_OP("ScatterNd")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Input("shape: Tindices")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tindices: {int16, int32, int64}")
    .Attr("bad_indices_policy: string = ''")
    .ShapeFunction(ScatterNdShape);

template <typename E>
void CopySlices(const NdSlices& slices, const Tensor& params, Tensor* output) {
  const E* from = params.data<E>();
  E* to = output->mutable_data<E>();
  StopLook look;
  for (int64_t i = 0; i < slices.count; ++i) {
    look.Turns(1 + slices.width);
    const int64_t start = slices.start(i);
    to = start == kIgnoredSlice ? std::fill_n(to, slices.width, E{})
                                : std::copy_n(from + start, slices.width, to);
  }
}

class GatherNdOp final : public NdSlicesKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& params = context->input(0);
    ASSIGN_OR_RETURN(const NdSlices slices,
                     CheckedNdSlices(context->input(1), params.shape(), bad_indices_));
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make(slices.dims));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    if (shape.num_elements() == 0) return OkStatus();
    if (params.dtype() == DType::kVariant) {
      CopySlices<Variant>(slices, params, output);
      return OkStatus();
    }
    switch (DTypeSize(params.dtype())) {
      case 0: CopySlices<std::string>(slices, params, output); break;
      case 1: CopySlices<uint8_t>(slices, params, output); break;
      case 2: CopySlices<uint16_t>(slices, params, output); break;
      case 4: CopySlices<uint32_t>(slices, params, output); break;
      case 8: CopySlices<uint64_t>(slices, params, output); break;
      default: CopySlices<std::complex<double>>(slices, params, output); break;
    }
    return OkStatus();
  }
};

template <typename T>
class ScatterNdOp final : public NdSlicesKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& updates = context->input(1);
    ASSIGN_OR_RETURN(const Shape shape, ShapeFrom(context->input(2), "shape"));
    ASSIGN_OR_RETURN(const NdSlices slices,
                     CheckedNdSlices(context->input(0), shape, bad_indices_));
    if (std::vector<int64_t>(updates.shape().dims()) != slices.dims) {
      ASSIGN_OR_RETURN(const Shape expected, Shape::Make(slices.dims));
      return InvalidArgument("updates must have the shape ", expected, " for indices of shape ",
                             context->input(0).shape(), " and an output of shape ", shape,
                             ", not ", updates.shape());
    }
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    T* to = output->mutable_data<T>();
    ParallelFill(to, shape.num_elements(), T(0));
    const T* from = updates.data<T>();
    using C = ComputeTypeOf<T>;
    StopLook look;
    for (int64_t i = 0; i < slices.count; ++i, from += slices.width) {
      look.Turns(1 + slices.width);
      const int64_t start = slices.start(i);
      if (start == kIgnoredSlice) continue;
      for (int64_t j = 0; j < slices.width; ++j) {
        to[start + j] = T(functor::Add::Apply(static_cast<C>(to[start + j]),
                                              static_cast<C>(from[j])));
      }
    }
    return OkStatus();
  }
};

REGISTER_KERNEL(Kernel("GatherNd").OnCpu(), GatherNdOp);
#define REGISTER(T) REGISTER_KERNEL(Kernel("ScatterNd").OnCpu().Type<T>("T"), ScatterNdOp<SignedOf<T>>);
TFBUILD_NUMBER_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
