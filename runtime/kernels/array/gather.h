#pragma once

#include <cstdint>

#include "base/status.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/resource_inputs.h"
#include "tensor/shape.h"
#include "tensor/tensor.h"

namespace tfbuild {

// GatherV2 in four numbers: params are [batch, outer, axis, inner], indices [batch, indices], and
// output [batch, outer, indices, inner] takes rows of `inner` elements.
struct GatherPlan {
  Shape output;
  int64_t batch = 1;
  int64_t outer = 1;
  int64_t axis = 1;
  int64_t inner = 1;
  int64_t indices = 1;
};

// The axis is a scalar on the host. InvalidArgument when axis, batch_dims and the shapes do not fit
// together.
Result<GatherPlan> PlanGather(const Shape& params, const Shape& indices, const Tensor& axis,
                              int64_t batch_dims);

// Gathers from `params` what input 1 names.
using GatherFunction = Status (*)(OpKernelContext* context, const Tensor& params,
                                  const Tensor& axis, int64_t batch_dims);

template <GatherFunction kGather>
class GatherOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(batch_dims_, construction.Attr<int64_t>("batch_dims"));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    return kGather(context, context->input(0), context->input(2), batch_dims_);
  }

 private:
  int64_t batch_dims_ = 0;
};

// From the rows of a variable, behind the batch dimensions.
template <GatherFunction kGather>
class ResourceGatherOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(batch_dims_, construction.Attr<int64_t>("batch_dims"));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const Tensor params,
                     VariableValueAt(*context, 0, context->node().output(0).dtype));
    const int64_t axis = batch_dims_ < 0 ? batch_dims_ + context->input(1).rank() : batch_dims_;
    return kGather(context, params, Tensor::Scalar<int64_t>(axis), batch_dims_);
  }

 private:
  int64_t batch_dims_ = 0;
};

}  // namespace tfbuild
