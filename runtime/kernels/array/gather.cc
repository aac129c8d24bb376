// GatherV2 and ResourceGather: rows of a tensor along an axis, or of a variable, in the order of
// indices.
#include "kernels/array/gather.h"

#include <algorithm>
#include <string>

#include "base/parallel.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/resource_inputs.h"
#include "kernels/framework/shape_inputs.h"
#include "tensor/complex.h"
#include "tensor/variant.h"

namespace tfbuild {
namespace {

// Where the axis and the batch dimensions lie; negative ones count from the end.
struct GatherAxes {
  int axis = 0;
  int batch_dims = 0;
};

Result<GatherAxes> ResolveAxes(int params_rank, int indices_rank, int64_t axis,
                               int64_t batch_dims) {
  GatherAxes axes;
  ASSIGN_OR_RETURN(axes.axis, CanonicalAxis(axis, params_rank));
  const int64_t batch = batch_dims < 0 ? batch_dims + indices_rank : batch_dims;
  if (batch < 0 || batch > indices_rank || batch > axes.axis) {
    return InvalidArgument("batch_dims ", batch_dims, " must be at most the rank ", indices_rank,
                           " of indices and the axis ", axes.axis);
  }
  axes.batch_dims = static_cast<int>(batch);
  return axes;
}

// params[:axis] + indices[batch_dims:] + params[axis + 1:]
std::vector<int64_t> GatheredDims(const std::vector<int64_t>& params,
                                  const std::vector<int64_t>& indices, const GatherAxes& axes) {
  std::vector<int64_t> dims(params.begin(), params.begin() + axes.axis);
  dims.insert(dims.end(), indices.begin() + axes.batch_dims, indices.end());
  dims.insert(dims.end(), params.begin() + axes.axis + 1, params.end());
  return dims;
}

Status GatherShape(ShapeContext* context) {
  const PartialShape& params = context->input(0);
  const PartialShape& indices = context->input(1);
  RETURN_IF_ERROR(context->WithRank(2, 0).status());
  ASSIGN_OR_RETURN(const int64_t batch_dims, context->Attr<int64_t>("batch_dims"));
  ASSIGN_OR_RETURN(const auto axis, KnownScalar(*context, 2));
  if (!axis || !params.known_rank() || !indices.known_rank()) return OkStatus();
  ASSIGN_OR_RETURN(const GatherAxes axes,
                   ResolveAxes(params.rank(), indices.rank(), *axis, batch_dims));
  context->set_output(0, PartialShape(GatheredDims(params.dims(), indices.dims(), axes)));
  return OkStatus();
}

REGISTER_OP("GatherV2")
    .Input("params: Tparams")
    .Input("indices: Tindices")
    .Input("axis: Taxis")
    .Output("output: Tparams")
    .Attr("batch_dims: int = 0")
    .Attr("Tparams: type")
    .Attr("Tindices: {int16, int32, int64}")
    .Attr("Taxis: {int32, int64}")
    .ShapeFunction(GatherShape);

// Of a variable the axis is the first behind those of the batch.
Status ResourceGatherShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const DType dtype, context->Attr<DType>("dtype"));
  ASSIGN_OR_RETURN(const PartialShape params, context->variable_shape(0, dtype));
  const PartialShape& indices = context->input(1);
  ASSIGN_OR_RETURN(const int64_t batch_dims, context->Attr<int64_t>("batch_dims"));
  if (!params.known_rank() || !indices.known_rank()) return OkStatus();
  const int64_t axis = batch_dims < 0 ? batch_dims + indices.rank() : batch_dims;
  ASSIGN_OR_RETURN(const GatherAxes axes,
                   ResolveAxes(params.rank(), indices.rank(), axis, batch_dims));
  context->set_output(0, PartialShape(GatheredDims(params.dims(), indices.dims(), axes)));
  return OkStatus();
}

REGISTER_OP("ResourceGather")
    .Input("resource: resource")
    .Input("indices: Tindices")
    .Output("output: dtype")
    .Attr("batch_dims: int = 0")
    .Attr("validate_indices: bool = true")
    .Attr("dtype: type")
    .Attr("Tindices: {int32, int64}")
    .Stateful()
    .ShapeFunction(ResourceGatherShape);

constexpr int64_t kGatherGrain = 16384;  // elements that are worth a thread

// The position of a wrong index, or -1.
template <typename Index>
int64_t FindOutside(const Tensor& indices, int64_t limit) {
  const Index* begin = indices.data<Index>();
  const Index* end = begin + indices.num_elements();
  const Index* found = std::find_if(begin, end, [limit](Index index) {
    return index < 0 || static_cast<int64_t>(index) >= limit;
  });
  return found == end ? -1 : found - begin;
}

// "indices[1,2]" for a position in a tensor of that shape.
std::string NameOf(const Shape& shape, int64_t position) {
  std::vector<int64_t> index(static_cast<size_t>(shape.rank()));
  for (int k = shape.rank() - 1; k >= 0; --k) {
    index[static_cast<size_t>(k)] = position % shape.dim(k);
    position /= shape.dim(k);
  }
  return StrCat("indices[", StrJoin(index, ","), "]");
}

template <typename Index, typename E>
void GatherRows(const GatherPlan& plan, const Tensor& params, const Tensor& indices,
                Tensor* output) {
  const E* from = params.data<E>();
  const Index* index = indices.data<Index>();
  E* to = output->mutable_data<E>();
  const int64_t rows = plan.batch * plan.outer * plan.indices;
  ParallelFor(rows, std::max<int64_t>(1, kGatherGrain / plan.inner), [=](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t block = row / plan.indices;  // of batch and outer
      const int64_t at = block / plan.outer * plan.indices + row % plan.indices;
      const int64_t source = block * plan.axis + static_cast<int64_t>(index[at]);
      std::copy_n(from + source * plan.inner, plan.inner, to + row * plan.inner);
    }
  });
}

template <typename Index>
Status Gather(OpKernelContext* context, const Tensor& params, const Tensor& axis,
              int64_t batch_dims) {
  const Tensor& indices = context->input(1);
  ASSIGN_OR_RETURN(const GatherPlan plan,
                   PlanGather(params.shape(), indices.shape(), axis, batch_dims));
  const int64_t wrong = FindOutside<Index>(indices, plan.axis);
  if (wrong >= 0) {
    return InvalidArgument(NameOf(indices.shape(), wrong), " = ",
                           static_cast<int64_t>(indices.data<Index>()[wrong]), " is not in [0, ",
                           plan.axis, ")");
  }
  ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, plan.output));
  if (plan.output.num_elements() == 0) return OkStatus();
  if (params.dtype() == DType::kVariant) {
    GatherRows<Index, Variant>(plan, params, indices, output);
    return OkStatus();
  }
  switch (DTypeSize(params.dtype())) {
    case 0: GatherRows<Index, std::string>(plan, params, indices, output); break;
    case 1: GatherRows<Index, uint8_t>(plan, params, indices, output); break;
    case 2: GatherRows<Index, uint16_t>(plan, params, indices, output); break;
    case 4: GatherRows<Index, uint32_t>(plan, params, indices, output); break;
    case 8: GatherRows<Index, uint64_t>(plan, params, indices, output); break;
    default: GatherRows<Index, std::complex<double>>(plan, params, indices, output); break;
  }
  return OkStatus();
}

REGISTER_KERNEL(Kernel("ResourceGather").OnCpu().Type<int32_t>("Tindices"),
                ResourceGatherOp<Gather<int32_t>>);
REGISTER_KERNEL(Kernel("ResourceGather").OnCpu().Type<int64_t>("Tindices"),
                ResourceGatherOp<Gather<int64_t>>);
REGISTER_KERNEL(Kernel("GatherV2").OnCpu().Type<int16_t>("Tindices"), GatherOp<Gather<int16_t>>);
REGISTER_KERNEL(Kernel("GatherV2").OnCpu().Type<int32_t>("Tindices"), GatherOp<Gather<int32_t>>);
REGISTER_KERNEL(Kernel("GatherV2").OnCpu().Type<int64_t>("Tindices"), GatherOp<Gather<int64_t>>);

}  // namespace

Result<GatherPlan> PlanGather(const Shape& params, const Shape& indices, const Tensor& axis,
                              int64_t batch_dims) {
  ASSIGN_OR_RETURN(const int64_t given, ScalarFrom(axis, "axis"));
  ASSIGN_OR_RETURN(const GatherAxes axes,
                   ResolveAxes(params.rank(), indices.rank(), given, batch_dims));
  GatherPlan plan;
  for (int k = 0; k < axes.batch_dims; ++k) {
    if (params.dim(k) == indices.dim(k)) continue;
    return InvalidArgument("params of shape ", params, " and indices of shape ", indices,
                           " differ in batch dimension ", k);
  }
  plan.axis = params.dim(axes.axis);
  ASSIGN_OR_RETURN(plan.output, Shape::Make(GatheredDims(params.dims(), indices.dims(), axes)));
  if (plan.output.num_elements() == 0) return plan;
  for (int k = 0; k < params.rank(); ++k) {
    if (k != axes.axis) {
      (k < axes.batch_dims ? plan.batch : k < axes.axis ? plan.outer : plan.inner) *= params.dim(k);
    }
  }
  for (int k = axes.batch_dims; k < indices.rank(); ++k) plan.indices *= indices.dim(k);
  return plan;
}

}  // namespace tfbuild
