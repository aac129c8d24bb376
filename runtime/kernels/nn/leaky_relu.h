#pragma once

// What LeakyRelu and LeakyReluGrad are on every device.

#include "kernels/framework/op_kernel.h"

namespace tfbuild {

// to[i] = from[i], times alpha where sign[i] is not positive. NaN as a sign counts as not positive.
template <typename T>
struct LeakyTask {
  ComputeTypeOf<T> alpha;
  int64_t count;  // 1 at least
  const T* from;
  const T* sign;
  T* to;
};

// Input 0 holds the values, and the last input their signs: itself, or the features.
template <typename T, Status (*kRun)(OpKernelContext* context, const LeakyTask<T>& task)>
class LeakyReluOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(alpha_, construction.Attr<float>("alpha"));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& from = context->input(0);
    const Tensor& sign = context->input(context->num_inputs() - 1);
    if (from.shape() != sign.shape()) {
      return InvalidArgument("gradients and features must have the same shape, not ", from.shape(),
                             " and ", sign.shape());
    }
    const T* values = from.data<T>();
    const T* signs = sign.data<T>();
    const int64_t count = from.num_elements();
    ASSIGN_OR_RETURN(Tensor * output, context->ForwardOrAllocateOutput({0}, 0, from.shape()));
    if (count == 0) return OkStatus();
    const auto alpha = static_cast<ComputeTypeOf<T>>(T(alpha_));  // rounded as the values are
    return kRun(context, LeakyTask<T>{alpha, count, values, signs, output->mutable_data<T>()});
  }

 private:
  float alpha_ = 0;
};

}  // namespace tfbuild
